import type { Micros } from "../../terms/money.ts";

const SECOND_MS = 1_000;
/** A process has this many seconds of its use in hand. */
const AHEAD_SECONDS = 5n;

/** How much of a budget was used in the last one to two seconds, and so how much will be needed soon. */
export class RecentSpending {
  #startedAt = Number.NEGATIVE_INFINITY;
  #here = 0n;
  #before = 0n;

  add(now: number, units: Micros): void {
    this.#turnTo(now);
    this.#here += units;
  }

  /** What will be used soon if use goes on as it was. */
  soon(now: number): Micros {
    this.#turnTo(now);
    return AHEAD_SECONDS * (this.#here > this.#before ? this.#here : this.#before);
  }

  #turnTo(now: number): void {
    if (now - this.#startedAt < SECOND_MS) return;
    this.#before = now - this.#startedAt < 2 * SECOND_MS ? this.#here : 0n;
    this.#here = 0n;
    this.#startedAt = now;
  }
}
