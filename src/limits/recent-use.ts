const SECOND_MS = 1_000;

/**
 * How much of a limit was used in the last one to two seconds, and so how much will be needed. For units in use at once,
 * the most that were; for windows, what is used in so much time. An estimate, so a floating point number will do.
 */
export class RecentUse {
  /** `null` for units in use at once. */
  readonly #aheadMs: number | null;
  #startedAt = Number.NEGATIVE_INFINITY;
  #here = 0;
  #before = 0;

  constructor(aheadMs: number | null) {
    this.#aheadMs = aheadMs;
  }

  /** @param units what was used of a window, or how many are in use at once now */
  add(now: number, units: number): void {
    this.#startSecond(now);
    this.#here = this.#aheadMs === null ? Math.max(this.#here, units) : this.#here + units;
  }

  /** A unit of a window was not used after all. */
  undo(): void {
    this.#here = Math.max(0, this.#here - 1);
  }

  /** What will be used if use goes on as it was. @param leftMs what is left of the window */
  expected(now: number, leftMs = Number.POSITIVE_INFINITY): number {
    this.#startSecond(now);
    const use = Math.max(this.#here, this.#before);
    return this.#aheadMs === null ? use : Math.ceil((use * Math.min(leftMs, this.#aheadMs)) / SECOND_MS);
  }

  #startSecond(now: number): void {
    if (now - this.#startedAt < SECOND_MS) return;
    this.#before = now - this.#startedAt < 2 * SECOND_MS ? this.#here : 0;
    this.#here = 0;
    this.#startedAt = now;
  }
}
