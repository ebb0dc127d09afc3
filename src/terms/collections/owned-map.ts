import { LinkedList, type Link } from "./linked-list.ts";

interface OwnedEntry<Value> {
  readonly of: string;
  readonly key: string;
  value: Value;
  link: Link<OwnedEntry<Value>> | null;
}

/** The entries of one owner, by both parts of their keys, and in order of use. */
class EntriesOfOwner<Value> {
  readonly byUse = new LinkedList<OwnedEntry<Value>>();
  readonly #parts = new Map<string, Map<string, OwnedEntry<Value>>>();
  size = 0;

  find(of: string, key: string): OwnedEntry<Value> | undefined {
    return this.#parts.get(of)?.get(key);
  }

  add(entry: OwnedEntry<Value>): void {
    let part = this.#parts.get(entry.of);
    if (part === undefined) this.#parts.set(entry.of, (part = new Map()));
    part.set(entry.key, entry);
    entry.link = this.byUse.add(entry);
    this.size += 1;
  }

  remove(entry: OwnedEntry<Value>): void {
    const part = this.#parts.get(entry.of)!;
    part.delete(entry.key);
    if (part.size === 0) this.#parts.delete(entry.of);
    this.byUse.remove(entry.link!);
    this.size -= 1;
  }
}

/**
 * A map of entries that belong to owners, with keys that the owners choose. It holds at most `entriesMax` entries.
 * Beyond that, the owner with the most entries loses its least recently used one. So an owner that invents keys without
 * end loses its own entries, never those of an owner with fewer.
 *
 * A key may have two parts, `of` and `key`: joining them would cost ten times as much as finding the entry.
 */
export class OwnedMap<Value> {
  readonly #entriesMax: number;
  readonly #byOwner = new Map<string, EntriesOfOwner<Value>>();
  #size = 0;

  constructor(entriesMax: number) {
    this.#entriesMax = Math.max(1, entriesMax);
  }

  get size(): number {
    return this.#size;
  }

  get(owner: string, key: string, of = ""): Value | undefined {
    const owned = this.#byOwner.get(owner);
    const entry = owned?.find(of, key);
    if (entry === undefined) return undefined;
    owned!.byUse.moveToEnd(entry.link!);
    return entry.value;
  }

  set(owner: string, key: string, value: Value, of = ""): void {
    let owned = this.#byOwner.get(owner);
    if (owned === undefined) this.#byOwner.set(owner, (owned = new EntriesOfOwner()));
    const known = owned.find(of, key);
    if (known !== undefined) {
      known.value = value;
      return owned.byUse.moveToEnd(known.link!);
    }
    owned.add({ of, key, value, link: null });
    this.#size += 1;
    if (this.#size > this.#entriesMax) this.#evictOne();
  }

  getOrCreate(owner: string, key: string, make: () => Value, of = ""): Value {
    const known = this.get(owner, key, of);
    if (known !== undefined) return known;
    const made = make();
    this.set(owner, key, made, of);
    return made;
  }

  delete(owner: string, key: string, of = ""): void {
    const owned = this.#byOwner.get(owner);
    const entry = owned?.find(of, key);
    if (entry !== undefined) this.#remove(owner, owned!, entry);
  }

  /** Each value with its owner and the first part of its key. */
  *entries(): Iterable<{ readonly owner: string; readonly of: string; readonly value: Value }> {
    for (const [owner, { byUse }] of this.#byOwner)
      for (const { of, value } of byUse.items()) yield { owner, of, value };
  }

  *values(): Iterable<Value> {
    for (const { byUse } of this.#byOwner.values()) for (const { value } of byUse.items()) yield value;
  }

  #remove(owner: string, owned: EntriesOfOwner<Value>, entry: OwnedEntry<Value>): void {
    owned.remove(entry);
    this.#size -= 1;
    if (owned.size === 0) this.#byOwner.delete(owner);
  }

  /**
   * Evicts one entry, never the new one: either the owner with the most has at least two, or all have one and the
   * newest comes last.
   */
  #evictOne(): void {
    let most: [owner: string, owned: EntriesOfOwner<Value>] | undefined;
    for (const each of this.#byOwner) if (most === undefined || each[1].size > most[1].size) most = each;
    if (most === undefined) return;
    const [owner, owned] = most;
    this.#remove(owner, owned, owned.byUse.first!);
  }
}
