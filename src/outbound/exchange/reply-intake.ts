import type { MemoryReservation } from "../../terms/concurrency/byte-budget.ts";
import { JoinedBytes } from "../../terms/json/joined-bytes.ts";

/**
 * A reply may arrive in this many pieces, plus one for each `BYTES_PER_PIECE` bytes. A piece costs the same whether it
 * has one byte or a thousand, so the number of small ones is limited.
 */
export const PIECES_FREE = 20_000;
export const BYTES_PER_PIECE = 32;

/** Why the rest of a reply is not read. */
export type IntakeProblem = "too_large" | "too_many_pieces" | "no_room";

/** Whether a body of this size has arrived in too many pieces. */
export function hasTooManyPieces(pieces: number, bytes: number): boolean {
  return pieces > PIECES_FREE + bytes / BYTES_PER_PIECE;
}

/**
 * Collects the bytes of a reply, at most `bytesMax`. Memory for a piece is reserved before the piece is kept, and stays
 * reserved until `release`, or until the call takes over the reservation.
 */
export class ReplyIntake {
  readonly bytesMax: number;
  readonly #memory: ReplyMemory;
  #joined = new JoinedBytes();

  constructor(memory: ReplyMemory, bytesMax: number) {
    this.#memory = memory;
    this.bytesMax = bytesMax;
  }

  get length(): number {
    return this.#joined.length;
  }

  /** Returns the problem if the piece was not accepted. */
  add(piece: Buffer): IntakeProblem | null {
    const length = this.#joined.length + piece.length;
    if (length > this.bytesMax) return "too_large";
    if (hasTooManyPieces(this.#joined.pieces + 1, length)) return "too_many_pieces";
    if (!this.#memory.reserve(piece.length)) return "no_room";
    this.#joined.add(piece);
    return null;
  }

  /** Returns all bytes. May be called once, at the end. */
  take(): Buffer {
    return this.#joined.take();
  }

  /** Discards the bytes and releases their memory. */
  release(): void {
    if (this.#joined.length === 0) return;
    this.#memory.release(this.#joined.length);
    this.#joined = new JoinedBytes();
  }
}

/**
 * Memory for one reply, reserved before its request is sent, so that a reply that may be billed is not discarded for
 * lack of memory. The reply uses this memory as it arrives; the unused rest is released at the end of the reply.
 */
export class ReplyMemory {
  readonly #memory: MemoryReservation;
  #ahead = 0;

  constructor(reservation: MemoryReservation) {
    this.#memory = reservation;
  }

  /** Returns false if there is not enough memory; then nothing should be sent. */
  reserveAhead(bytes: number): boolean {
    const ahead = this.#memory.reserveAhead(bytes);
    this.#ahead += ahead ?? 0;
    return ahead !== null;
  }

  /** Reserves bytes for the reply, first out of the memory reserved ahead. Returns false if no memory is free. */
  reserve(bytes: number): boolean {
    const fromAhead = Math.min(this.#ahead, bytes);
    if (bytes > fromAhead && !this.#memory.reserve(bytes - fromAhead)) return false;
    this.#ahead -= fromAhead;
    return true;
  }

  release(bytes: number): void {
    this.#memory.releaseBytes(bytes);
  }

  /** Releases the unused memory, at the end of the reply. */
  releaseUnused(): void {
    this.#memory.releaseBytes(this.#ahead);
    this.#ahead = 0;
  }
}
