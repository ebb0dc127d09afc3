/**
 * A round-robin queue of items by owner; each owner's items keep their order. A thousand items of one owner delay the
 * single item of another by one item, not by a thousand.
 */
export class RoundRobinQueue<Item> {
  /**
   * The owners in the order in which they are served. A set keeps the order of insertion, and removes an item from the
   * middle at no cost.
   */
  readonly #byOwner = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  of(owner: string): number {
    return this.#byOwner.get(owner)?.size ?? 0;
  }

  /** The number of waiting items of owners that may go on. */
  count(mayGoOn: (owner: string) => boolean): number {
    let count = 0;
    for (const [owner, items] of this.#byOwner) if (mayGoOn(owner)) count += items.size;
    return count;
  }

  items(): Item[] {
    return [...this.#byOwner.values()].flatMap((items) => [...items]);
  }

  add(owner: string, item: Item): void {
    let items = this.#byOwner.get(owner);
    if (items === undefined) this.#byOwner.set(owner, (items = new Set()));
    if (items.has(item)) return;
    items.add(item);
    this.#size += 1;
  }

  /** Removes a waiting item; false if it was not waiting. */
  remove(owner: string, item: Item): boolean {
    const items = this.#byOwner.get(owner);
    if (items?.delete(item) !== true) return false;
    this.#size -= 1;
    if (items.size === 0) this.#byOwner.delete(owner);
    return true;
  }

  /**
   * Takes the first item that can be served, of the first owner that may go on. This owner moves to the end of the
   * queue. Owners that may not go on keep their position.
   */
  next(mayGoOn: (owner: string) => boolean, canBeServed: (item: Item) => boolean = () => true): Item | undefined {
    for (const [owner, items] of this.#byOwner) {
      if (!mayGoOn(owner)) continue;
      for (const item of items) {
        if (!canBeServed(item)) continue;
        this.#byOwner.delete(owner);
        items.delete(item);
        this.#size -= 1;
        if (items.size > 0) this.#byOwner.set(owner, items);
        return item;
      }
    }
    return undefined;
  }

  /** Removes and returns all items. */
  clear(): Item[] {
    const all = this.items();
    this.#byOwner.clear();
    this.#size = 0;
    return all;
  }
}
