import type { IncomingMessage } from "node:http";
import type { Held } from "../terms/byte-budget.ts";
import { Fault } from "../terms/fault.ts";
import { JoinedBytes, piecesMax } from "../terms/joined-bytes.ts";
import { invalid } from "./parse-body.ts";

/** Nobody waits for the answer any more. */
export class ClientGone extends Error {}

function ignore(): void {}

/**
 * The body of one request. Until it is wanted, at most one read of the socket (64 KiB) arrives: then `changed` reports that
 * no more may be read. Pieces are joined as they arrive, because the parser creates an object for each chunk.
 */
export class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #changed: () => void;
  /** Its length in bytes as announced; undefined for a chunked body. */
  readonly announced: number | undefined;
  /** Null once it has been taken or is not wanted: the request may live on for as long as its connection. */
  #joined: JoinedBytes | null = null;
  #received = 0;
  #isWanted = false;
  #hasEnded = false;
  #onWanted: () => void = ignore;
  #onPiece: (bytes: number) => void = ignore;
  #onEnd: () => void = ignore;

  /** @param changed called when the answer of `mayRead` may have changed */
  constructor(request: IncomingMessage, changed: () => void) {
    const { headers } = request;
    this.#request = request;
    this.#changed = changed;
    this.announced = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;
    if (this.announced === 0) return;
    this.#joined = new JoinedBytes(this.announced);
    request.on("data", (piece: Buffer) => this.#take(piece));
    request.on("end", () => {
      this.#hasEnded = true;
      this.#onEnd();
    });
  }

  /** Whether it was announced at all, and has not come to its end. */
  get isComing(): boolean {
    return this.announced !== 0 && !this.#request.complete;
  }

  /** Whether more of it may be read from the socket. */
  get mayRead(): boolean {
    return this.#isWanted || this.#received === 0 || this.#received === this.announced || !this.isComing;
  }

  /** Called before the body is read, for a client that waits to be told. */
  whenWanted(wanted: () => void): void {
    this.#onWanted = wanted;
  }

  /**
   * The whole body, within the limit. An announced length is reserved at once, the length of a chunked body as it arrives.
   * To be called once.
   * @throws Fault `request.invalid`, or `request.overloaded` when there is no memory; ClientGone
   */
  read(held: Held, bytesMax: number): Promise<Buffer> {
    const { announced = 0 } = this;
    if (this.announced === 0) return Promise.resolve(Buffer.alloc(0));
    if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
    if (!held.hold(announced)) return Promise.reject(new Fault("request.overloaded"));
    const pieces = piecesMax(bytesMax);
    let reserved = announced;
    const problem = (): Fault | null => {
      const { length, pieces: came } = this.#joined!;
      if (length > bytesMax) return tooLarge(bytesMax);
      if (came > pieces) return tooManyPieces(pieces);
      if (length <= reserved) return null;
      if (!held.hold(length - reserved)) return new Fault("request.overloaded");
      reserved = length;
      return null;
    };
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (error: Error): void => {
        isOver = true;
        this.#forget();
        reject(error);
      };
      const onPiece = (): void => {
        const fault = problem();
        if (fault !== null) giveUp(fault);
      };
      const onEnd = (): void => {
        isOver = true;
        const bytes = this.#joined!.take();
        this.#forget();
        resolve(bytes);
      };
      // This event follows every request. An error costs a stack trace, so it is created only if the client hung up.
      const onClose = (): void => {
        if (!isOver) giveUp(new ClientGone());
      };
      if (this.#joined === null || (this.#request.destroyed && !this.#hasEnded)) return onClose();
      this.#request.on("close", onClose);
      this.#isWanted = true;
      // Assigned where they are written, they would be old objects for V8, and keep their request until its next full collection.
      this.#onPiece = onPiece;
      this.#onEnd = onEnd;
      // What has come before it was wanted.
      onPiece();
      if (isOver) return;
      if (this.#hasEnded) return onEnd();
      this.#onWanted();
      this.#changed();
    });
  }

  /** Reads up to this many bytes of the rest, and keeps nothing: its request has been answered. */
  skip(bytesMax = Number.POSITIVE_INFINITY): void {
    if (!this.isComing) return;
    let [bytes, pieces] = [0, 0];
    this.#forget();
    this.#isWanted = true;
    const onPiece = (length: number): void => {
      bytes += length;
      pieces += 1;
      this.#isWanted = bytes <= bytesMax && pieces <= piecesMax(bytesMax);
    };
    this.#onPiece = onPiece;
    this.#changed();
  }

  #take(piece: Buffer): void {
    this.#received += piece.length;
    this.#joined?.add(piece);
    this.#onPiece(piece.length);
    if (!this.mayRead) this.#changed();
  }

  #forget(): void {
    this.#joined = null;
    this.#isWanted = false;
    this.#onPiece = ignore;
    this.#onEnd = ignore;
  }
}

function tooLarge(bytesMax: number): Fault {
  return invalid([{ path: "", message: `is larger than ${bytesMax} bytes` }]);
}

function tooManyPieces(pieces: number): Fault {
  return invalid([{ path: "", message: `was sent in more than ${pieces} chunks` }]);
}
