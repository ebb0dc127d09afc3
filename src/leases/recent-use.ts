const SECOND_MS = 1_000;
/** A process has its share of a window in hand for a sixtieth of it, between one and ten seconds. */
const SHARE = 60;
const AHEAD_MS_MAX = 10_000;

/**
 * How much of a limit was used in the last one to two seconds, and so how much will be needed. For units in use at once,
 * the most that were; for windows, what is taken in a second, in the window if that is shorter, or in a part of a long
 * one.
 */
export class RecentUse {
  /** `null` for units in use at once. */
  readonly #aheadMs: number | null;
  #startedAt = Number.NEGATIVE_INFINITY;
  #here = 0;
  #before = 0;

  constructor(everyMs: number | null) {
    const partMs = Math.max(SECOND_MS, Math.min(AHEAD_MS_MAX, (everyMs ?? 0) / SHARE));
    this.#aheadMs = everyMs === null ? null : Math.min(everyMs, partMs);
  }

  /** @param units how many are in use at once now, or 1 for one of a window that was taken */
  add(now: number, units: number): void {
    this.#turnTo(now);
    this.#here = this.#aheadMs === null ? Math.max(this.#here, units) : this.#here + units;
  }

  /** A unit of a window was not used after all. */
  undo(): void {
    this.#here = Math.max(0, this.#here - 1);
  }

  /** What will be used if use goes on as it was. @param leftMs what is left of the window */
  expected(now: number, leftMs = Number.POSITIVE_INFINITY): number {
    this.#turnTo(now);
    const use = Math.max(this.#here, this.#before);
    return this.#aheadMs === null ? use : Math.ceil((use * Math.min(leftMs, this.#aheadMs)) / SECOND_MS);
  }

  #turnTo(now: number): void {
    if (now - this.#startedAt < SECOND_MS) return;
    this.#before = now - this.#startedAt < 2 * SECOND_MS ? this.#here : 0;
    this.#here = 0;
    this.#startedAt = now;
  }
}
