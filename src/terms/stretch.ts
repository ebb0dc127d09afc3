import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** How long one task may block the thread while others wait. */
const STRETCH_MS_MAX = 10;

/**
 * One task's use of the thread while all others wait. To be asked between its steps: if they have taken long, other
 * tasks run first.
 */
export class Stretch {
  readonly #clock: Clock;
  #from: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#from = clock.now();
  }

  get isLong(): boolean {
    return this.#clock.now() - this.#from > STRETCH_MS_MAX;
  }

  /** Lets other tasks run; then a new stretch begins. */
  async end(): Promise<void> {
    await nextTurn();
    this.#from = this.#clock.now();
  }
}
