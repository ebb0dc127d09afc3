import { FairShare } from "./fair-share.ts";

/**
 * A map that forgets what was not used for long, in which several owners have their own entries. Who wants more than its
 * share forgets its own oldest entry, so no owner, whatever it makes up, can push out another's.
 */
export class SharedMap<Value> {
  readonly #share: FairShare;
  /** Owners and their entries, both with the least recently used first. */
  readonly #byOwner = new Map<string, Map<string, Value>>();

  constructor(entriesMax: number) {
    this.#share = new FairShare(entriesMax);
  }

  get size(): number {
    return this.#share.inUse;
  }

  getOrMake(owner: string, key: string, make: () => Value): Value {
    let own = this.#byOwner.get(owner);
    const known = own?.get(key);
    if (own !== undefined && known !== undefined) {
      putLast(this.#byOwner, owner, own);
      putLast(own, key, known);
      return known;
    }
    const value = make();
    while (!this.#share.take(owner)) this.#forgetOne(own === undefined ? this.#byOwner.keys().next().value! : owner);
    own = this.#byOwner.get(owner) ?? new Map<string, Value>();
    own.set(key, value);
    putLast(this.#byOwner, owner, own);
    return value;
  }

  *values(): Iterable<Value> {
    for (const own of this.#byOwner.values()) yield* own.values();
  }

  #forgetOne(owner: string): void {
    const own = this.#byOwner.get(owner)!;
    own.delete(own.keys().next().value!);
    this.#share.give(owner);
    if (own.size === 0) this.#byOwner.delete(owner);
  }
}

function putLast<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
}
