/**
 * Places, or bytes, that several owners share. An owner may have as much as it leaves free for the others: alone it gets
 * half, two who want all get a third each, and so on. So the room that is left when some take all they can is as large as
 * the share of any of them, and who comes next finds it, however greedy those before it are.
 */
export class FairShare {
  readonly max: number;
  readonly #maxOf: (owner: string) => number;
  readonly #byOwner = new Map<string, number>();
  /** Who alone has asked so far; `null` once there were two. Set only where such a one may have all. */
  #only: string | null | undefined;
  #inUse = 0;

  /**
   * @param maxOf what one owner may have at the most, even when all the rest is free
   * @param allForOne whether the first to ask may have all for as long as nobody else has ever asked
   */
  constructor(max: number, maxOf: (owner: string) => number = () => max, allForOne = false) {
    this.max = max;
    this.#maxOf = maxOf;
    this.#only = allForOne ? undefined : null;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** How many have something. */
  get owners(): number {
    return this.#byOwner.size;
  }

  of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  /** Whether `take` would succeed. Who has nothing yet may have whatever there is. */
  fits(owner: string, amount = 1): boolean {
    const has = this.of(owner);
    const freeAfter = this.max - this.#inUse - amount;
    if (freeAfter < 0 || has + amount > this.#maxOf(owner)) return false;
    return has === 0 || has + amount <= freeAfter || this.#only === owner;
  }

  take(owner: string, amount = 1): boolean {
    if (this.#only === undefined) this.#only = owner;
    else if (this.#only !== owner) this.#only = null;
    if (!this.fits(owner, amount)) return false;
    this.#add(owner, amount);
    return true;
  }

  /** From one owner to another. False: the other may not have so much, and nothing has changed. */
  move(from: string, to: string, amount: number): boolean {
    if (from === to) return true;
    this.give(from, amount);
    const fits = this.fits(to, amount);
    this.#add(fits ? to : from, amount);
    return fits;
  }

  give(owner: string, amount = 1): void {
    const left = this.of(owner) - amount;
    this.#inUse -= amount;
    if (left <= 0) this.#byOwner.delete(owner);
    else this.#byOwner.set(owner, left);
  }

  #add(owner: string, amount: number): void {
    this.#inUse += amount;
    this.#byOwner.set(owner, this.of(owner) + amount);
  }
}
