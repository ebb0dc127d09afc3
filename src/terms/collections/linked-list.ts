/** An item in a list, and its neighbours. */
export interface Link<Item> {
  readonly item: Item;
  before: Link<Item> | null;
  after: Link<Item> | null;
}

/**
 * Items in order of addition, for lists that change thousands of times a second. A `Set` or `Map` is copied whenever
 * removed entries have filled it, and each old table refers to the next one. A table in V8's old generation therefore
 * retains all later tables and their entries until a full garbage collection.
 */
export class LinkedList<Item> {
  #first: Link<Item> | null = null;
  #last: Link<Item> | null = null;

  get first(): Item | undefined {
    return this.#first?.item;
  }

  *items(): Iterable<Item> {
    for (let link = this.#first; link !== null; link = link.after) yield link.item;
  }

  /** Adds an item at the end. Returns the link by which to remove it. */
  add(item: Item): Link<Item> {
    const link: Link<Item> = { item, before: null, after: null };
    this.#append(link);
    return link;
  }

  /** Moves an item of this list to its end. */
  moveToEnd(link: Link<Item>): void {
    if (this.#last === link) return;
    this.remove(link);
    this.#append(link);
  }

  /** Removes an item. Does nothing if it was already removed. */
  remove(link: Link<Item>): void {
    const { before, after } = link;
    if (before === null && this.#first !== link) return;
    if (before === null) this.#first = after;
    else before.after = after;
    if (after === null) this.#last = before;
    else after.before = before;
    // A link in the old generation would retain its neighbours.
    link.before = null;
    link.after = null;
  }

  #append(link: Link<Item>): void {
    link.before = this.#last;
    if (this.#last === null) this.#first = link;
    else this.#last.after = link;
    this.#last = link;
  }
}
