/** A piece that keeps more than this many times its own size alive is copied out of its buffer. */
const BACKING_MAX = 4;
const FIRST_BYTES = 4_096;

/**
 * Joins data that arrives in pieces. Each piece is copied into one buffer as it arrives. So a million pieces of one
 * byte take a megabyte, not a million objects that each keep a whole read buffer alive.
 */
export class JoinedBytes {
  /** The only piece so far, not copied: usually there is just one. */
  #only: Buffer | null = null;
  #joined: Buffer | null = null;
  #length = 0;
  #pieces = 0;
  readonly #expected: number;

  /** @param expected the announced length in bytes, if there is one: then memory is allocated once */
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

  /** Returns all bytes. Call it once, at the end. */
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

/** The number of chunks that any body may have, and the average size of chunks above which it may have more. */
const PIECES_LEAST = 1024;
const PIECE_BYTES = 128;

/** The most chunks of a body of that size. A chunk costs as much as hundreds of bytes, however small it is. */
export function piecesMax(bytesMax: number): number {
  return Math.max(PIECES_LEAST, Math.ceil(bytesMax / PIECE_BYTES));
}
