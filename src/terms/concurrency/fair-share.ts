/** The amount of one owner. */
interface OwnerShare {
  amount: number;
}

/** Below this many owners, no owner without an amount is removed. */
const PARTS_MIN = 16;

/**
 * An amount, of slots or bytes, that several owners share. An owner may take as much as it leaves free for the others:
 * a single owner gets half, two that want everything get a third each, and so on. So when some take all that they can,
 * the rest is as large as the share of each, and the next owner always gets something.
 */
export class FairShare {
  /** May change. Lowering it takes nothing away from owners. */
  max: number;
  readonly #maxOf: (owner: string) => number;
  /**
   * Includes owners without an amount: adding and removing an owner for each of its calls would cost more than
   * everything else here. They are removed when they are more than half.
   */
  readonly #byOwner = new Map<string, OwnerShare>();
  /** A cache: most calls are for the same owner as the previous call. */
  #last: { readonly owner: string; readonly part: OwnerShare } | null = null;
  /** The number of owners with an amount. */
  #owners = 0;
  /** The only owner so far that has requested an amount; `null` after a second one. Used only with `allForOne`. */
  #only: string | null | undefined;
  #inUse = 0;

  /**
   * @param maxOf the most that one owner may have, even if everything else is free
   * @param allForOne whether the first owner may have everything until another one requests an amount
   */
  constructor(max: number, maxOf: (owner: string) => number = () => max, allForOne = false) {
    this.max = max;
    this.#maxOf = maxOf;
    this.#only = allForOne ? undefined : null;
  }

  get inUse(): number {
    return this.#inUse;
  }

  of(owner: string): number {
    return this.#shareOf(owner)?.amount ?? 0;
  }

  #shareOf(owner: string): OwnerShare | undefined {
    if (this.#last?.owner === owner) return this.#last.part;
    const part = this.#byOwner.get(owner);
    if (part !== undefined) this.#last = { owner, part };
    return part;
  }

  /** The amount of each owner. */
  amounts(): Map<string, number> {
    return new Map(
      [...this.#byOwner].filter(([, { amount }]) => amount > 0).map(([owner, { amount }]) => [owner, amount]),
    );
  }

  /** Whether `take` would succeed. An owner without an amount may take all that is free. */
  fits(owner: string, amount = 1): boolean {
    return this.#fits(owner, this.of(owner), amount);
  }

  #fits(owner: string, has: number, amount: number): boolean {
    const freeAfter = this.max - this.#inUse - amount;
    if (freeAfter < 0 || has + amount > this.#maxOf(owner)) return false;
    return has === 0 || has + amount <= freeAfter || this.#only === owner;
  }

  take(owner: string, amount = 1): boolean {
    this.#recordOwner(owner);
    const part = this.#shareOf(owner);
    if (!this.#fits(owner, part?.amount ?? 0, amount)) return false;
    this.#add(part ?? this.#newShare(owner), amount);
    return true;
  }

  /** Adds an amount that is already in use and cannot be refused, even beyond the limits. */
  add(owner: string, amount = 1): void {
    this.#recordOwner(owner);
    this.#add(this.#byOwner.get(owner) ?? this.#newShare(owner), amount);
  }

  #recordOwner(owner: string): void {
    if (this.#only === undefined) this.#only = owner;
    else if (this.#only !== owner) this.#only = null;
  }

  /** Releases all amounts. */
  clear(): void {
    this.#byOwner.clear();
    this.#last = null;
    this.#owners = 0;
    this.#inUse = 0;
  }

  /** Moves an amount to another owner. Returns false if that owner may not have so much; then nothing changes. */
  move(from: string, to: string, amount: number): boolean {
    if (from === to) return true;
    this.give(from, amount);
    const fits = this.fits(to, amount);
    const owner = fits ? to : from;
    this.#add(this.#byOwner.get(owner) ?? this.#newShare(owner), amount);
    return fits;
  }

  give(owner: string, amount = 1): void {
    this.#inUse -= amount;
    const part = this.#shareOf(owner);
    if (part === undefined || part.amount === 0) return;
    part.amount = Math.max(0, part.amount - amount);
    if (part.amount === 0) this.#owners -= 1;
  }

  #add(part: OwnerShare, amount: number): void {
    this.#inUse += amount;
    if (part.amount === 0 && amount > 0) this.#owners += 1;
    part.amount += amount;
  }

  #newShare(owner: string): OwnerShare {
    if (this.#byOwner.size >= 2 * this.#owners + PARTS_MIN) {
      this.#last = null;
      for (const [known, { amount }] of this.#byOwner) if (amount === 0) this.#byOwner.delete(known);
    }
    const part = { amount: 0 };
    this.#byOwner.set(owner, part);
    return part;
  }
}
