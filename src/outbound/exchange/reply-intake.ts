import type { Held } from "../../terms/byte-budget.ts";
import { JoinedBytes } from "../../terms/joined-bytes.ts";

/**
 * A reply may come in so many pieces, and one more for so many of its bytes: what a piece costs to take in is the same
 * for one byte as for a thousand, so small ones are bounded by their number.
 */
export const PIECES_FREE = 20_000;
export const BYTES_PER_PIECE = 32;

/** Why a reply is not taken in any further. */
export type IntakeProblem = "too_large" | "too_many_pieces" | "no_room";

/** Whether a body of so many bytes may have come in so many pieces. */
export function isCutTooSmall(pieces: number, bytes: number): boolean {
  return pieces > PIECES_FREE + bytes / BYTES_PER_PIECE;
}

/**
 * Takes in bytes piece by piece, never more than `bytesMax`, and counts each as held before it is kept. What it counted
 * stays counted until `drop`, or until someone else sees to it.
 */
export class ReplyIntake {
  readonly bytesMax: number;
  readonly #room: RoomAhead;
  #joined = new JoinedBytes();

  constructor(room: RoomAhead, bytesMax: number) {
    this.#room = room;
    this.bytesMax = bytesMax;
  }

  get length(): number {
    return this.#joined.length;
  }

  /** The problem, if the piece was not taken in. */
  add(piece: Buffer): IntakeProblem | null {
    const length = this.#joined.length + piece.length;
    if (length > this.bytesMax) return "too_large";
    if (isCutTooSmall(this.#joined.pieces + 1, length)) return "too_many_pieces";
    if (!this.#room.hold(piece.length)) return "no_room";
    this.#joined.add(piece);
    return null;
  }

  /** All of it. To be called once, at the end. */
  take(): Buffer {
    return this.#joined.take();
  }

  /** Its bytes are not needed any more. */
  drop(): void {
    if (this.#joined.length === 0) return;
    this.#room.drop(this.#joined.length);
    this.#joined = new JoinedBytes();
  }
}

/**
 * Room for one reply, taken before its request is sent, so that what may be billed is not thrown away for want of it. The
 * reply takes it up as it comes; what is left over is given back at its end.
 */
export class RoomAhead {
  readonly #held: Held;
  #ahead = 0;

  constructor(held: Held) {
    this.#held = held;
  }

  /** False: there is no room, and nothing should be sent. */
  reserve(bytes: number): boolean {
    const ahead = this.#held.holdAhead(bytes);
    this.#ahead += ahead ?? 0;
    return ahead !== null;
  }

  /** Counts bytes of the reply, first out of what was reserved. */
  hold(bytes: number): boolean {
    const fromAhead = Math.min(this.#ahead, bytes);
    if (bytes > fromAhead && !this.#held.hold(bytes - fromAhead)) return false;
    this.#ahead -= fromAhead;
    return true;
  }

  drop(bytes: number): void {
    this.#held.drop(bytes);
  }

  /** No more of the reply will come. */
  giveBack(): void {
    this.#held.drop(this.#ahead);
    this.#ahead = 0;
  }
}
