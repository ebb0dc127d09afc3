/** A set of rows, one bit for each, so that a million rows take 125 kB. */
export class RowSet {
  #words: Uint32Array;

  constructor(words = new Uint32Array(1_024)) {
    this.#words = words;
  }

  add(row: number): void {
    const word = row >>> 5;
    if (word >= this.#words.length) {
      const larger = new Uint32Array(Math.max(word + 1, 2 * this.#words.length));
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[word]! |= 1 << (row & 31);
  }

  has(row: number): boolean {
    return ((this.#words[row >>> 5] ?? 0) & (1 << (row & 31))) !== 0;
  }

  get size(): number {
    let size = 0;
    for (const word of this.#words) size += bitsOf(word);
    return size;
  }

  union(other: RowSet): RowSet {
    const [small, large] = this.#words.length < other.#words.length ? [this, other] : [other, this];
    const words = Uint32Array.from(large.#words);
    for (const [at, word] of small.#words.entries()) words[at]! |= word;
    return new RowSet(words);
  }

  /** The number of rows that are in both. */
  sizeWith(other: RowSet): number {
    const length = Math.min(this.#words.length, other.#words.length);
    let size = 0;
    for (let at = 0; at < length; at += 1) size += bitsOf(this.#words[at]! & other.#words[at]!);
    return size;
  }

  /** The number of its rows that the other does not have. */
  sizeWithout(other: RowSet): number {
    return this.size - this.sizeWith(other);
  }
}

function bitsOf(word: number): number {
  let bits = word - ((word >>> 1) & 0x55555555);
  bits = (bits & 0x33333333) + ((bits >>> 2) & 0x33333333);
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}
