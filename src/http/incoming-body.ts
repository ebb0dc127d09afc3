import type { IncomingMessage } from "node:http";
import type { MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import { Fault } from "../terms/fault.ts";
import { JoinedBytes, piecesMax } from "../terms/json/joined-bytes.ts";
import { invalid } from "./parse-body.ts";

/** The client has closed the connection, so no answer can be sent. */
export class ClientGone extends Error {}

function ignore(): void {}

/**
 * The body of one request. Before `read` is called, at most one read of the socket (64 KiB) is accepted; `changed` then
 * reports that no more may be read. Pieces are joined as they arrive, because the parser creates an object for each chunk.
 */
export class IncomingBody {
  readonly #request: IncomingMessage;
  readonly #onChange: () => void;
  /** The announced length in bytes; undefined for a chunked body. */
  readonly announced: number | undefined;
  /** Null once the bytes have been taken or are not needed, because the request may live as long as its connection. */
  #joined: JoinedBytes | null = null;
  #received = 0;
  #isNeeded = false;
  #hasEnded = false;
  #onNeeded: () => void = ignore;
  #onPiece: (bytes: number) => void = ignore;
  #onEnd: () => void = ignore;

  /** @param changed called when `mayRead` may have changed */
  constructor(request: IncomingMessage, changed: () => void) {
    const { headers } = request;
    this.#request = request;
    this.#onChange = changed;
    this.announced = headers["transfer-encoding"] === undefined ? Number(headers["content-length"] ?? 0) : undefined;
    if (this.announced === 0) return;
    this.#joined = new JoinedBytes(this.announced);
    request.on("data", (piece: Buffer) => this.#take(piece));
    request.on("end", () => {
      this.#hasEnded = true;
      this.#onEnd();
    });
  }

  /** Whether a body was announced and has not arrived completely. */
  get isArriving(): boolean {
    return this.announced !== 0 && !this.#request.complete;
  }

  /** Whether more of it may be read from the socket. */
  get mayRead(): boolean {
    return this.#isNeeded || this.#received === 0 || this.#received === this.announced || !this.isArriving;
  }

  /** Sets what is called before the body is read, for a client that waits for `100 Continue`. */
  whenNeeded(wanted: () => void): void {
    this.#onNeeded = wanted;
  }

  /**
   * Resolves to the whole body, of at most `bytesMax` bytes. Memory is reserved at once for an announced length, and as it
   * arrives for a chunked body. May be called once.
   * @throws Fault `request.invalid`, or `request.overloaded` if no memory is free; ClientGone
   */
  read(memory: MemoryReservation, bytesMax: number): Promise<Buffer> {
    const { announced = 0 } = this;
    if (this.announced === 0) return Promise.resolve(Buffer.alloc(0));
    if (announced > bytesMax) return Promise.reject(tooLarge(bytesMax));
    if (!memory.reserve(announced)) return Promise.reject(new Fault("request.overloaded"));
    const pieces = piecesMax(bytesMax);
    let reserved = announced;
    const problem = (): Fault | null => {
      const { length, pieces: pieceCount } = this.#joined!;
      if (length > bytesMax) return tooLarge(bytesMax);
      if (pieceCount > pieces) return tooManyPieces(pieces);
      if (length <= reserved) return null;
      if (!memory.reserve(length - reserved)) return new Fault("request.overloaded");
      reserved = length;
      return null;
    };
    return new Promise((resolve, reject) => {
      let isOver = false;
      const giveUp = (error: Error): void => {
        isOver = true;
        this.#clear();
        reject(error);
      };
      const onPiece = (): void => {
        const fault = problem();
        if (fault !== null) giveUp(fault);
      };
      const onEnd = (): void => {
        isOver = true;
        const bytes = this.#joined!.take();
        this.#clear();
        resolve(bytes);
      };
      // `close` is emitted for every request. An error costs a stack trace, so it is created only if the client hung up.
      const onClose = (): void => {
        if (!isOver) giveUp(new ClientGone());
      };
      if (this.#joined === null || (this.#request.destroyed && !this.#hasEnded)) return onClose();
      this.#request.on("close", onClose);
      this.#isNeeded = true;
      // Functions with names of their own: V8 puts functions that are assigned where they are written among its old objects,
      // which would keep the request until a full collection.
      this.#onPiece = onPiece;
      this.#onEnd = onEnd;
      // Checks the bytes that arrived before this call.
      onPiece();
      if (isOver) return;
      if (this.#hasEnded) return onEnd();
      this.#onNeeded();
      this.#onChange();
    });
  }

  /** Reads and discards up to `bytesMax` further bytes, after the request has been answered. */
  discard(bytesMax = Number.POSITIVE_INFINITY): void {
    if (!this.isArriving) return;
    let [bytes, pieces] = [0, 0];
    this.#clear();
    this.#isNeeded = true;
    const onPiece = (length: number): void => {
      bytes += length;
      pieces += 1;
      this.#isNeeded = bytes <= bytesMax && pieces <= piecesMax(bytesMax);
    };
    this.#onPiece = onPiece;
    this.#onChange();
  }

  #take(piece: Buffer): void {
    this.#received += piece.length;
    this.#joined?.add(piece);
    this.#onPiece(piece.length);
    if (!this.mayRead) this.#onChange();
  }

  #clear(): void {
    this.#joined = null;
    this.#isNeeded = false;
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
