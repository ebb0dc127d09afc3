import type { Socket } from "node:net";

/** How many bytes the parser gets at once if they may be a head or a chunked body. */
export const SLICE_BYTES = 2_048;
const HEAD_END = "\r\n\r\n";

/** As many as one head may have: a part of the next one would start its timeout, although it waits because of us. */
export function headBytes(bytes: Buffer): number {
  const end = bytes.indexOf(HEAD_END);
  return end === -1 ? SLICE_BYTES : Math.min(SLICE_BYTES, end + HEAD_END.length);
}

/** Decides how many bytes of a connection the parser gets. */
export interface FeedGate {
  /** Whether the parser may be given more now. */
  mayFeed(): boolean;
  /** How many of these bytes it may be given before this is asked again. */
  sliceBytes(bytes: Buffer): number;
  fed(bytes: number): void;
  /** The client has half-closed, and the parser has been told. */
  ended(): void;
}

/**
 * The bytes of one connection on their way to Node's parser. Left to itself, the parser reads the socket 64 KiB at a time,
 * and creates objects for everything in them before any of our code runs: two thousand requests of three kilobytes each, or
 * ten thousand chunks of a body, and that for every connection whose bytes have come by then. So it gets a little at a
 * time, no more than is wanted, and nothing once the connection is ending.
 */
export class Feed {
  readonly #socket: Socket;
  readonly #gate: FeedGate;
  readonly #parse: (bytes: Buffer) => void;
  readonly #parseEnd: () => void;
  #rest: Buffer | null = null;
  #hasEnded = false;
  #isBlocked = false;
  #drop: ((bytes: number) => void) | null = null;

  constructor(socket: Socket, gate: FeedGate) {
    this.#socket = socket;
    this.#gate = gate;
    // The parser's own listeners. Node detaches the parser from the socket as soon as another listener for data is added.
    this.#parse = socket.listeners("data")[0] as (bytes: Buffer) => void;
    this.#parseEnd = socket.listeners("end").at(-1) as () => void;
    socket.removeListener("data", this.#parse).removeListener("end", this.#parseEnd);
    socket.on("data", (bytes: Buffer) => this.#take(bytes));
    socket.on("resume", () => this.#pump());
    socket.on("end", () => {
      this.#hasEnded = true;
      this.#pump();
    });
  }

  /** Whether bytes have come that the parser has not been given. */
  get hasRest(): boolean {
    return this.#rest !== null;
  }

  /** To be called when the parser may be given more. */
  go(): void {
    if (!this.#isBlocked) return;
    this.#isBlocked = false;
    this.#socket.resume();
    this.#pump();
  }

  /** From now on nothing is parsed; whatever comes is only counted. */
  drop(counted: (bytes: number) => void): void {
    this.#drop = counted;
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null) counted(rest.length);
    this.go();
  }

  #take(bytes: Buffer): void {
    if (this.#drop !== null) return this.#drop(bytes.length);
    this.#rest = this.#rest === null ? bytes : Buffer.concat([this.#rest, bytes]);
    this.#pump();
  }

  #pump(): void {
    if (this.#drop !== null) return;
    while (this.#rest !== null && !this.#socket.isPaused() && !this.#socket.destroyed) {
      if (!this.#gate.mayFeed()) return this.#block();
      const rest: Buffer = this.#rest;
      const slice = rest.subarray(0, this.#gate.sliceBytes(rest));
      this.#rest = slice.length === rest.length ? null : rest.subarray(slice.length);
      this.#parse(slice);
      this.#gate.fed(slice.length);
    }
    if (this.#rest === null && this.#hasEnded && this.#drop === null) {
      this.#hasEnded = false;
      this.#parseEnd.call(this.#socket);
      this.#gate.ended();
    }
  }

  #block(): void {
    this.#isBlocked = true;
    this.#socket.pause();
  }
}
