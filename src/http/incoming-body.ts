import type { IncomingMessage } from "node:http";
import type { Held } from "../terms/byte-budget.ts";
import { Fault } from "../terms/fault.ts";
import { JoinedBytes, piecesMax } from "../terms/joined-bytes.ts";
import { invalid } from "./parse-body.ts";
import type { Stranger } from "./strangers-bodies.ts";

/** The body of one request. Its parts are joined as they arrive, and nothing is read before somebody asks for it. */
export class IncomingBody {
  readonly #request: IncomingMessage;
  /** Its announced length; undefined for a chunked body. */
  readonly announced: number | undefined;
  /** Null once it has been taken or discarded: the request may live on for as long as its connection. */
  #joined: JoinedBytes | null = new JoinedBytes();
  #received = 0;
  #isListening = false;
  #hasEnded = false;
  #isWanted = false;
  #onWanted: () => void = () => {};
  #onPiece: () => void = () => {};
  #onEnd: () => void = () => {};

  constructor(request: IncomingMessage) {
    const { headers } = request;
    this.#request = request;
    this.announced = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;
    // Chunks that were parsed together with the head would each wait as an object.
    if (this.announced === undefined) this.#listen();
  }

  /** Whether it was announced at all, and has not come to its end. */
  get isComing(): boolean {
    return this.announced !== 0 && !this.#request.complete;
  }

  /** Whether it is to be read. */
  get isWanted(): boolean {
    return this.#isWanted;
  }

  /** Bytes that are yet to come of an announced length. */
  get left(): number {
    return (this.announced ?? 0) - this.#received - this.#request.readableLength;
  }

  whenWanted(wanted: () => void): void {
    this.#onWanted = wanted;
  }

  /**
   * The whole body, within the limit and counted by `held`. To be called once. The body of a caller that is not
   * authenticated yet belongs to a `stranger`: when their memory runs out, it or another of their bodies is refused.
   * @throws Fault `request.invalid`, or `request.overloaded` when there is no room; rejects when the client goes away
   */
  read(held: Held, bytesMax: number, stranger?: Stranger): Promise<Buffer> {
    if ((this.announced ?? 0) > bytesMax) return Promise.reject(tooLarge(bytesMax));
    const pieces = piecesMax(bytesMax);
    return new Promise((resolve, reject) => {
      let counted = 0;
      const giveUp = (fault: Fault): void => {
        // The rest is of no use.
        this.#joined = null;
        this.#isWanted = false;
        held.release();
        reject(fault);
      };
      stranger?.begin(giveUp);
      const problem = (): Fault | null => {
        const { length, pieces: came } = this.#joined!;
        if (length > bytesMax) return tooLarge(bytesMax);
        if (came > pieces) return tooManyPieces(pieces);
        stranger?.came(length - counted);
        while (!held.hold(length - counted)) if (stranger?.makeWay() !== true) return new Fault("request.overloaded");
        counted = length;
        return null;
      };
      const onPiece = (): void => {
        const fault = problem();
        if (fault !== null) giveUp(fault);
      };
      const onEnd = (): void => {
        stranger?.whole();
        const bytes = this.#joined!.take();
        this.#joined = null;
        resolve(bytes);
      };
      // Assigned where they are written, they would be old objects for V8, and keep their request until its next full collection.
      this.#onPiece = onPiece;
      this.#onEnd = onEnd;
      this.#request.on("error", reject);
      // This event follows every request. An error costs a stack trace, so it is created only if the client hung up.
      this.#request.on("close", () => {
        this.#joined = null;
        if (!this.#hasEnded) reject(new Error("the client hung up"));
      });
      this.#isWanted = true;
      if (this.announced !== undefined) this.#listen();
      else if (this.#joined!.length > 0) this.#onPiece();
      if (this.#hasEnded && this.#isWanted) this.#onEnd();
      this.#onWanted();
    });
  }

  /** Reads the rest of it, and keeps nothing: its request has been answered. */
  skip(): void {
    this.#joined = null;
    this.#isWanted = true;
    this.#listen();
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    this.#request.on("data", (piece: Buffer) => {
      this.#received += piece.length;
      if (this.#joined === null) return;
      this.#joined.add(piece);
      this.#onPiece();
    });
    this.#request.on("end", () => {
      this.#hasEnded = true;
      if (this.#joined !== null) this.#onEnd();
    });
  }
}

function tooLarge(bytesMax: number): Fault {
  return invalid([{ path: "", message: `is larger than ${bytesMax} bytes` }]);
}

function tooManyPieces(pieces: number): Fault {
  return invalid([{ path: "", message: `was sent in more than ${pieces} chunks` }]);
}
