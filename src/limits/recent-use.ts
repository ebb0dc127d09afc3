const SECOND_MS = 1_000;

/**
 * The use of a limit in the last one to two seconds, as an estimate of the future use. For units in use at once, it is
 * their maximum; for windows, the use per `aheadMs`. An estimate, so floating point numbers suffice.
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

  /** @param units used units of a window, or units in use at once now */
  add(now: number, units: number): void {
    this.#startSecond(now);
    this.#here = this.#aheadMs === null ? Math.max(this.#here, units) : this.#here + units;
  }

  /** A unit of a window was not used after all. */
  undo(): void {
    this.#here = Math.max(0, this.#here - 1);
  }

  /** The future use if it continues as before. @param leftMs remaining time of the window */
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
