import type { SourceLimits } from "../sdk/source.ts";
import type { Clock } from "../terms/clock.ts";
import { FairShare } from "../terms/fair-share.ts";
import { Fault } from "../terms/fault.ts";
import { TurnQueue } from "../terms/turn-queue.ts";
import { TokenShare } from "./token-share.ts";

const WAITING_MAX = 512;

interface Waiting {
  readonly owner: string;
  readonly goOn: () => void;
}

/**
 * The limits that one source declares for all its calls: how many at once, and how many in a period. These are the
 * vendor's numbers and are never exceeded. Owners share them; as long as only one has ever called, it may use
 * everything. A call over a limit waits for a while, and owners take turns.
 */
export class SourceTurns {
  readonly #clock: Clock;
  readonly #places: FairShare | null;
  readonly #rates: readonly TokenShare[];
  readonly #waiting = new TurnQueue<Waiting>();
  readonly #waitingShare = new FairShare(WAITING_MAX);
  #cancelWake: (() => void) | null = null;

  constructor({ concurrency, rate }: SourceLimits, clock: Clock) {
    this.#clock = clock;
    this.#places = concurrency === undefined ? null : new FairShare(concurrency, () => concurrency, true);
    this.#rates = (rate ?? []).filter(({ per }) => per === "source").map((limit) => new TokenShare(limit));
  }

  /** `null` if the call may go on at once. @throws Fault, or rejects with it, if the call is refused */
  enter(owner: string, waitMaxMs: number): Promise<void> | null {
    const now = this.#refill();
    if (this.#take(owner, now)) return null;
    const isNear = this.#rates.every((rate) => rate.fits(owner) || rate.nextAt <= now + waitMaxMs);
    if (!isNear || !this.#waitingShare.take(owner)) throw this.#fault(owner);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        goOn: () => {
          cancel();
          resolve();
        },
      };
      const cancel = this.#clock.after(waitMaxMs, () => {
        // A place that became free at this very moment is given away first.
        this.#serve();
        if (!this.#waiting.remove(owner, waiting)) return;
        this.#waitingShare.give(owner);
        if (this.#waiting.size === 0) this.#wakeNoMore();
        reject(this.#fault(owner));
      });
      this.#waiting.add(owner, waiting);
      this.#wakeForToken();
    });
  }

  /** A call that had entered has ended. */
  leave(owner: string): void {
    this.#places?.give(owner);
    this.#serve();
  }

  #serve(): void {
    if (this.#waiting.size === 0) return;
    const now = this.#refill();
    const mayGoOn = (owner: string): boolean => this.#fits(owner);
    for (let next = this.#waiting.next(mayGoOn); next !== undefined; next = this.#waiting.next(mayGoOn)) {
      this.#waitingShare.give(next.owner);
      this.#take(next.owner, now);
      next.goOn();
    }
    this.#wakeForToken();
  }

  /** Tokens come back with time alone, so a timer has to look for them. */
  #wakeForToken(): void {
    if (this.#cancelWake !== null || this.#waiting.size === 0 || this.#rates.length === 0) return;
    const now = this.#clock.now();
    const nextAt = Math.min(...this.#rates.map((rate) => rate.nextAt).filter((at) => at > now));
    if (nextAt === Number.POSITIVE_INFINITY) return;
    this.#cancelWake = this.#clock.after(Math.ceil(nextAt - now), () => {
      this.#cancelWake = null;
      this.#serve();
    });
  }

  #wakeNoMore(): void {
    this.#cancelWake?.();
    this.#cancelWake = null;
  }

  #fits(owner: string): boolean {
    return this.#places?.fits(owner) !== false && this.#rates.every((rate) => rate.fits(owner));
  }

  /** Takes everything or nothing. Asks each limit even after one refuses, so that each records this owner's demand. */
  #take(owner: string, now: number): boolean {
    const hasPlace = this.#places?.take(owner) !== false;
    const taken = this.#rates.filter((rate) => rate.take(owner, now));
    if (hasPlace && taken.length === this.#rates.length) return true;
    if (hasPlace) this.#places?.give(owner);
    for (const rate of taken) rate.undo(owner);
    return false;
  }

  #refill(): number {
    const now = this.#clock.now();
    for (const rate of this.#rates) rate.refill(now);
    return now;
  }

  #fault(owner: string): Fault {
    return new Fault(this.#places?.fits(owner) === false ? "source.queue_full" : "source.rate_limited_here");
  }
}
