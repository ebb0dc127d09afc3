import type { Clock } from "./clock.ts";

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * A clock that stands still until it is advanced. Both of its clocks advance together unless the wall clock is moved
 * alone.
 */
export class FakeClock implements Clock {
  #now = 1_000;
  #wallOffset = 1_760_000_000_000;
  #timers: Timer[] = [];

  readonly now = (): number => this.#now;
  readonly wall = (): number => Math.floor(this.#now) + this.#wallOffset;
  readonly after = (delayMs: number, callback: () => void): (() => void) => {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  };

  get timers(): number {
    return this.#timers.length;
  }

  /** Advances both clocks and runs due callbacks in order. Promises settle before, between and after the callbacks. */
  async advance(byMs: number): Promise<void> {
    await settle();
    const end = this.#now + byMs;
    for (;;) {
      const next = this.#timers.filter((timer) => timer.at <= end).sort((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = next.at;
      next.callback();
      await settle();
    }
    this.#now = end;
    await settle();
  }

  /** Simulates a suspended process: callbacks that are due by now run before anything else is received. */
  stop(forMs: number): void {
    this.#now += forMs;
    const due = this.#timers.filter((timer) => timer.at <= this.#now).sort((a, b) => a.at - b.at);
    this.#timers = this.#timers.filter((timer) => !due.includes(timer));
    for (const { callback } of due) callback();
  }

  /** Moves only the wall clock, as if it were set. */
  jumpWall(byMs: number): void {
    this.#wallOffset += byMs;
  }
}

/** Waits until all promises that can settle have settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
