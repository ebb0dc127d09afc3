/**
 * A map of entries that belong to owners, with keys that the owners choose. It holds at most `entriesMax`; beyond that,
 * the owner with the most entries loses its least recently used one. So an owner that invents keys without end loses
 * its own entries, never those of an owner with fewer.
 */
export class OwnedMap<Value> {
  readonly #entriesMax: number;
  /** Each owner's entries in the order of use: a map keeps the order of insertion. */
  readonly #byOwner = new Map<string, Map<string, Value>>();
  #size = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = Math.max(1, entriesMax);
  }

  get size(): number {
    return this.#size;
  }

  get(owner: string, key: string): Value | undefined {
    const entries = this.#byOwner.get(owner);
    const value = entries?.get(key);
    if (entries === undefined || value === undefined) return undefined;
    // It was just used, so it moves to the end.
    if (entries.size > 1) {
      entries.delete(key);
      entries.set(key, value);
    }
    return value;
  }

  set(owner: string, key: string, value: Value): void {
    let entries = this.#byOwner.get(owner);
    if (entries === undefined) this.#byOwner.set(owner, (entries = new Map()));
    if (!entries.delete(key)) this.#size += 1;
    entries.set(key, value);
    if (this.#size > this.#entriesMax) this.#forgetOne();
  }

  getOrMake(owner: string, key: string, make: () => Value): Value {
    const known = this.get(owner, key);
    if (known !== undefined) return known;
    const made = make();
    this.set(owner, key, made);
    return made;
  }

  delete(owner: string, key: string): void {
    const entries = this.#byOwner.get(owner);
    if (entries?.delete(key) !== true) return;
    this.#size -= 1;
    if (entries.size === 0) this.#byOwner.delete(owner);
  }

  *values(): Iterable<Value> {
    for (const entries of this.#byOwner.values()) yield* entries.values();
  }

  /**
   * Never drops the new entry: either the owner with the most has at least two, or all have one and the newest comes
   * last.
   */
  #forgetOne(): void {
    let most: [owner: string, entries: Map<string, Value>] | undefined;
    for (const owned of this.#byOwner) if (most === undefined || owned[1].size > most[1].size) most = owned;
    if (most === undefined) return;
    const [owner, entries] = most;
    const [oldest] = entries.keys();
    this.delete(owner, oldest!);
  }
}
