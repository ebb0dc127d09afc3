/**
 * Places, or bytes, that several owners share. An owner may take as much as it leaves free for the others: alone it
 * gets half, two who want everything get a third each, and so on. So when some take all that they can, the rest is as
 * large as the share of each, and the next owner gets something however greedy the others are.
 */
export class FairShare {
  /** May change; what owners have is not taken from them. */
  max: number;
  readonly #maxOf: (owner: string) => number;
  readonly #byOwner = new Map<string, number>();
  /** The only owner that has asked so far; `null` once there were two. Used only with `allForOne`. */
  #only: string | null | undefined;
  #inUse = 0;

  /**
   * @param maxOf the most that one owner may have, even if everything else is free
   * @param allForOne whether the first owner may have everything as long as no other has ever asked
   */
  constructor(max: number, maxOf: (owner: string) => number = () => max, allForOne = false) {
    this.max = max;
    this.#maxOf = maxOf;
    this.#only = allForOne ? undefined : null;
  }

  get inUse(): number {
    return this.#inUse;
  }

  /** The number of owners that have something. */
  get owners(): number {
    return this.#byOwner.size;
  }

  of(owner: string): number {
    return this.#byOwner.get(owner) ?? 0;
  }

  /** Whether `take` would succeed. An owner that has nothing yet may take all that is free. */
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

  /** Everything is given back. */
  clear(): void {
    this.#byOwner.clear();
    this.#inUse = 0;
  }

  /** Moves an amount to another owner. False if that one may not have so much; then nothing changes. */
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
