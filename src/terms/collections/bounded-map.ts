/**
 * A map that evicts the least recently used entries. It holds at most `entriesMax` entries and never evicts the half of
 * them used last. It has two generations instead of a list in order of use, so reading a recent entry is one look-up.
 */
export class BoundedMap<Key, Value> {
  readonly #generationMax: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  constructor(entriesMax: number) {
    this.#generationMax = Math.max(1, Math.floor(entriesMax / 2));
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }

  get(key: Key): Value | undefined {
    const value = this.#young.get(key);
    if (value !== undefined || this.#young.has(key)) return value;
    if (!this.#old.has(key)) return undefined;
    const kept = this.#old.get(key) as Value;
    this.set(key, kept);
    return kept;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size >= this.#generationMax) this.age();
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  /** Evicts all entries that were not used since the previous call, or since a generation last became full. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  *values(): Iterable<Value> {
    yield* this.#young.values();
    yield* this.#old.values();
  }
}
