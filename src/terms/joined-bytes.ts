/** A piece that keeps more than this many times its own size alive is copied out of the buffer that it is part of. */
const BACKING_MAX = 4;
const FIRST_BYTES = 4_096;

/**
 * Joins data that arrives in pieces. Each piece is copied into one buffer as it arrives, so that a million pieces of
 * one byte take a megabyte, instead of a million objects that each keep a whole read buffer alive.
 */
export class JoinedBytes {
  /** The only piece so far, not copied: usually there is just one. */
  #only: Buffer | null = null;
  #joined: Buffer | null = null;
  #length = 0;
  #pieces = 0;
  readonly #expected: number;

  /** @param expected their length in bytes if it was announced: then memory is allocated once */
  constructor(expected = 0) {
    this.#expected = expected;
  }

  get length(): number {
    return this.#length;
  }

  get pieces(): number {
    return this.#pieces;
  }

  add(piece: Buffer): void {
    const before = this.#length;
    this.#length += piece.length;
    this.#pieces += 1;
    if (this.#pieces === 1) {
      this.#only = piece;
      return;
    }
    if (this.#joined === null || this.#joined.length < this.#length) this.#grow(before);
    piece.copy(this.#joined!, before);
  }

  /** All bytes. To be called once, at the end. */
  take(): Buffer {
    const only = this.#only;
    if (only !== null)
      return only.buffer.byteLength > BACKING_MAX * only.length + FIRST_BYTES ? Buffer.from(only) : only;
    return this.#joined === null ? Buffer.alloc(0) : this.#joined.subarray(0, this.#length);
  }

  #grow(before: number): void {
    const size = this.#length <= this.#expected ? this.#expected : Math.max(FIRST_BYTES, 2 * this.#length);
    const grown = Buffer.allocUnsafeSlow(size);
    (this.#joined ?? this.#only)!.copy(grown, 0, 0, before);
    this.#joined = grown;
    this.#only = null;
  }
}

/** A body may always have this many chunks, and more if they have at least this many bytes on average. */
const PIECES_LEAST = 1024;
const PIECE_BYTES = 128;

/** How many chunks a body of that size may have. A chunk costs as much as hundreds of bytes, however small it is. */
export function piecesMax(bytesMax: number): number {
  return Math.max(PIECES_LEAST, Math.ceil(bytesMax / PIECE_BYTES));
}
