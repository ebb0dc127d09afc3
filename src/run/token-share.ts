import type { RateLimit } from "../sdk/source.ts";
import { FairShare } from "../terms/fair-share.ts";

interface Taken {
  readonly owner: string;
  count: number;
}

/**
 * The shared tokens of one rate: full at first; taken tokens come back in the order in which they were taken, evenly
 * spread over the period. Until a token is back it counts as held by its owner, so that a flood from one owner leaves
 * tokens for others.
 */
export class TokenShare {
  readonly #share: FairShare;
  readonly #tokenMs: number;
  /** In the order in which they come back. */
  readonly #taken: Taken[] = [];
  #first = 0;
  /** When the last token came back, or when the first of those now taken was taken. */
  #countedFrom = 0;

  constructor({ max, every_ms: everyMs }: RateLimit) {
    this.#share = new FairShare(max, () => max, true);
    this.#tokenMs = everyMs / max;
  }

  /** Returns the tokens that are due. To be called before any other method. */
  refill(now: number): void {
    let due = Math.floor((now - this.#countedFrom) / this.#tokenMs);
    if (due <= 0) return;
    this.#countedFrom += due * this.#tokenMs;
    while (due > 0 && this.#share.inUse > 0) {
      const taken = this.#taken[this.#first]!;
      const back = Math.min(due, taken.count);
      due -= back;
      taken.count -= back;
      this.#share.give(taken.owner, back);
      if (taken.count === 0) this.#first += 1;
    }
    if (this.#first > 1_000 && this.#first * 2 > this.#taken.length) {
      this.#taken.splice(0, this.#first);
      this.#first = 0;
    }
  }

  fits(owner: string): boolean {
    return this.#share.fits(owner);
  }

  take(owner: string, now: number): boolean {
    const wasFull = this.#share.inUse === 0;
    if (!this.#share.take(owner)) return false;
    if (wasFull) this.#countedFrom = now;
    const last = this.#taken.length > this.#first ? this.#taken.at(-1) : undefined;
    if (last?.owner === owner) last.count += 1;
    else this.#taken.push({ owner, count: 1 });
    return true;
  }

  /** Undoes the most recent `take`, whose token was not used. */
  undo(owner: string): void {
    this.#share.give(owner);
    const last = this.#taken.at(-1)!;
    last.count -= 1;
    if (last.count === 0) this.#taken.pop();
  }

  /** When the next token comes back. */
  get nextAt(): number {
    return this.#share.inUse === 0 ? Number.NEGATIVE_INFINITY : this.#countedFrom + this.#tokenMs;
  }
}
