import type { Lease } from "./middleware/ports.ts";
import { FairShare } from "../terms/concurrency/fair-share.ts";

/**
 * This process's lease of one limit, shared by owners. An owner may have as much as it leaves free in the whole deployment.
 * As long as only one owner has ever called in this process, it may use everything.
 */
export class LimitShare {
  readonly isRate: boolean;
  readonly #lease: Lease;
  readonly #share: FairShare;
  #window: number | null = null;

  constructor(lease: Lease, max: number, isRate: boolean) {
    this.isRate = isRate;
    this.#lease = lease;
    this.#share = new FairShare(max, () => max, true);
  }

  /** Whether the lease has a unit that is not in use. */
  isFree(now: number): boolean {
    return this.#lease.free(now) > 0;
  }

  /** Whether the share of this owner allows one more unit. */
  fits(owner: string, now: number): boolean {
    this.#refresh(now);
    return this.#share.fits(owner);
  }

  /** Takes a unit. @returns the window of the unit, or `null` if none can be had */
  take(owner: string, now: number, until: number): number | null {
    this.#refresh(now);
    if (!this.#share.take(owner)) return null;
    const window = this.#lease.take(now, until);
    if (window === null) this.#share.give(owner);
    return window;
  }

  /** Returns a unit of this window that is no longer in use, or was not used. */
  give(owner: string, window: number): void {
    if (window === this.#window) this.#share.give(owner);
    this.#lease.give(window);
  }

  /** Whether the store may grant one more unit for this owner. */
  mayGrow(owner: string, now: number): boolean {
    return this.fits(owner, now) && this.#lease.mayGrow(now);
  }

  /** Whether this owner may get a unit before `at`. */
  mayGrantBy(owner: string, now: number, at: number): boolean {
    if (!this.isRate) return !this.#lease.isUnreachable || this.#lease.hasUnits(now);
    if (this.#lease.isUnreachable) return false;
    return this.mayGrow(owner, now) || this.#lease.nextAt <= at;
  }

  /** Reports how many calls wait, and how many of them belong to owners that may have more units. */
  reportDemand(waiting: number, mayHave: number): void {
    const now = Math.min(mayHave, Math.max(0, this.#share.max - this.#share.inUse));
    this.#lease.reportDemand(now, this.isRate ? waiting : now);
  }

  get isUnreachable(): boolean {
    return this.#lease.isUnreachable;
  }

  #refresh(now: number): void {
    const window = this.#lease.window(now);
    if (this.isRate && window !== this.#window) this.#share.clear();
    this.#window = window;
    this.#share.max = this.#lease.unclaimed();
  }
}
