/**
 * Those who wait, owner by owner: owners take turns, and the items of one keep their order. One owner's thousand items
 * put the single item of another back by one, not by a thousand.
 */
export class TurnQueue<Item> {
  /** In the order of their turns. A set has the order of insertion, and takes an item out of the middle at no cost. */
  readonly #byOwner = new Map<string, Set<Item>>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  of(owner: string): number {
    return this.#byOwner.get(owner)?.size ?? 0;
  }

  add(owner: string, item: Item): void {
    let items = this.#byOwner.get(owner);
    if (items === undefined) this.#byOwner.set(owner, (items = new Set()));
    if (items.has(item)) return;
    items.add(item);
    this.#size += 1;
  }

  /** One that has had a turn and needs another: before all others of its owner, who waits for the next turn like everybody. */
  putBack(owner: string, item: Item): void {
    const items = this.#byOwner.get(owner) ?? [];
    this.#byOwner.delete(owner);
    this.#byOwner.set(owner, new Set([item, ...items]));
    this.#size += 1;
  }

  /** Takes back one that waits; false if it does not. */
  remove(owner: string, item: Item): boolean {
    const items = this.#byOwner.get(owner);
    if (items?.delete(item) !== true) return false;
    this.#size -= 1;
    if (items.size === 0) this.#byOwner.delete(owner);
    return true;
  }

  /**
   * The first item, by turns, whose owner may go on and that can be served itself; its owner goes to the end of the line.
   * Owners who may not keep their turn.
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

  /** All that wait, which wait no more. */
  clear(): Item[] {
    const all = [...this.#byOwner.values()].flatMap((items) => [...items]);
    this.#byOwner.clear();
    this.#size = 0;
    return all;
  }
}
