const SECOND_MS = 1_000;

/**
 * How much of a limit was used lately: in the last one to two seconds. For units in use at once, the most that were; for
 * windows, how many were taken in a second, or in a window if that is shorter.
 */
export class RecentUse {
  readonly #everyMs: number | null;
  #startedAt = Number.NEGATIVE_INFINITY;
  #here = 0;
  #before = 0;

  constructor(everyMs: number | null) {
    this.#everyMs = everyMs;
  }

  /** @param inUse how many are in use now */
  add(now: number, inUse: number): void {
    this.#turnTo(now);
    this.#here = this.#everyMs === null ? Math.max(this.#here, inUse) : this.#here + 1;
  }

  /** What will be used in the next second, or window, if use goes on as it was. */
  expected(now: number): number {
    this.#turnTo(now);
    const use = Math.max(this.#here, this.#before);
    return this.#everyMs === null ? use : Math.ceil(use * Math.min(1, this.#everyMs / SECOND_MS));
  }

  #turnTo(now: number): void {
    if (now - this.#startedAt < SECOND_MS) return;
    this.#before = now - this.#startedAt < 2 * SECOND_MS ? this.#here : 0;
    this.#here = 0;
    this.#startedAt = now;
  }
}
