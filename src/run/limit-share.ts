import type { Lease } from "./around/ports.ts";
import { FairShare } from "../terms/fair-share.ts";

/** Taken ahead are at most so many, and one of so many that are free. */
const BEGINS_AHEAD_MAX = 64;
const PLACES_AHEAD_MAX = 8;
const AHEAD_PART = 32;

/**
 * What this process has leased of one limit, shared by owners: an owner may have as much as it leaves free in the whole
 * deployment. As long as only one has ever asked here, it may use everything.
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

  /** Whether this process holds a unit that is not in use. */
  isFree(now: number): boolean {
    return this.#lease.free(now) > 0;
  }

  /** Whether its share lets this owner have one more. */
  fits(owner: string, now: number): boolean {
    this.#lookAtLease(now);
    return this.#share.fits(owner);
  }

  /** @returns the window of the units, or `null` */
  take(owner: string, now: number, until: number, units = 1): number | null {
    this.#lookAtLease(now);
    if (!this.#share.take(owner, units)) return null;
    const window = this.#lease.take(now, until, units);
    if (window === null) this.#share.give(owner, units);
    return window;
  }

  /** Units of this window are not in use any more, or were not used. */
  give(owner: string, window: number, units = 1): void {
    if (window === this.#window) this.#share.give(owner, units);
    this.#lease.give(window, units);
  }

  /** How many units an owner can take ahead of its calls, so few that nobody is likely to lack them. */
  aheadFor(owner: string, now: number): number {
    const here = this.#lease.free(now);
    const inAll = Math.floor(Math.max(0, this.#share.max - this.#share.inUse) / AHEAD_PART);
    // Of places, a process holds few more than it uses, and those that are left are used again.
    const units = this.isRate
      ? Math.min(BEGINS_AHEAD_MAX, Math.floor(here / AHEAD_PART), inAll)
      : Math.min(PLACES_AHEAD_MAX, Math.floor(here / 2), inAll);
    return this.#share.fits(owner, units) ? units : 0;
  }

  get aheadUntil(): number {
    return this.#lease.aheadUntil;
  }

  /** Whether the store probably has one more for this owner. */
  isAsked(owner: string, now: number): boolean {
    return this.fits(owner, now) && this.#lease.mayGrow(now);
  }

  /** Whether a unit for this owner may come before `at`. */
  mayComeBy(owner: string, now: number, at: number): boolean {
    if (!this.isRate) return !this.#lease.away || this.#lease.holds(now);
    if (this.#lease.away) return false;
    return this.isAsked(owner, now) || this.#lease.nextAt <= at;
  }

  /** Says how many calls wait, and how many of them belong to owners that may have more. */
  want(waiting: number, mayHave: number): void {
    const now = Math.min(mayHave, Math.max(0, this.#share.max - this.#share.inUse));
    this.#lease.want(now, this.isRate ? waiting : now);
  }

  get isUnknown(): boolean {
    return this.#lease.away;
  }

  #lookAtLease(now: number): void {
    const window = this.#lease.window(now);
    if (this.isRate && window !== this.#window) this.#share.clear();
    this.#window = window;
    this.#share.max = this.#lease.left();
  }
}
