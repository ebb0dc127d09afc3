import type { Grant, Held, LeaseAnswer } from "./ports.ts";

/** Clocks are believed to differ in speed by less than this: a lease is used for that much less than it was given for. */
const DRIFT = 0.01;

/** What was granted for one window, by the clock of this process. */
export interface Holding {
  readonly window: number;
  readonly from: number;
  readonly until: number;
  amount: number;
  used: number;
}

/** The window of an answer that came too late, or from a store whose clock was set back. */
export type Misfit = "late" | "set back";

/** What one process holds of one limit: in the current window and, near its end, in the next one. */
export class Holdings {
  readonly #isAtOnce: boolean;
  current: Holding | null = null;
  next: Holding | null = null;

  /** @param isAtOnce whether the limit is on units in use at once, which have one window */
  constructor(isAtOnce: boolean) {
    this.#isAtOnce = isAtOnce;
  }

  /** What can be taken from now. */
  at(now: number): Holding | null {
    const holding = this.current;
    if (holding === null || now < holding.until) return holding;
    if (this.#isAtOnce) {
      // The lease was lost: nothing more is taken until there is a new one. What is in use still counts.
      holding.amount = 0;
      return holding;
    }
    if (this.next === null || now < this.next.from) return null;
    [this.current, this.next] = [this.next, null];
    return now < this.current.until ? this.current : null;
  }

  /** Also a window that seems to be over: it may not be by the store's clock. */
  toHeld(): Held[] {
    const held = [this.current, this.next].filter((holding) => holding !== null);
    return held.map(({ window, amount, used }) => ({ window, amount, used }));
  }

  /**
   * Replaces what is held by what was granted.
   * @param askedAt, answeredAt by the clock of this process; in between, the store looked at its own
   */
  put({ now, grants }: LeaseAnswer, askedAt: number, answeredAt: number): Misfit | null {
    const [current, next] = grants as readonly [Grant, Grant | undefined];
    if (this.current !== null && current.window < this.current.window) {
      // The next window may have begun while the answer was on its way.
      return askedAt < this.current.from ? "late" : "set back";
    }
    // Never too late: the store's clock is read in whole milliseconds.
    const endOf = ({ endsAt }: Grant): number => askedAt + (endsAt - now - 1) * (1 - DRIFT);
    const { window, amount } = current;
    this.current = { window, from: answeredAt, until: endOf(current), amount, used: this.#usedIn(window) };
    if (next !== undefined) {
      const from = latestStart(next.window, now, answeredAt);
      this.next = { window: next.window, from, until: endOf(next), amount: next.amount, used: 0 };
    } else if (this.next !== null && this.next.window <= window) this.next = null;
    return null;
  }

  clear(): void {
    [this.current, this.next] = [null, null];
  }

  #usedIn(window: number): number {
    if (this.current?.window === window) return this.current.used;
    return this.next?.window === window ? this.next.used : 0;
  }
}

/** When a time of the store's clock is reached for sure, by the clock of this process. */
export function latestStart(time: number, storeNow: number, answeredAt: number): number {
  return answeredAt + (time - storeNow) * (1 + DRIFT);
}
