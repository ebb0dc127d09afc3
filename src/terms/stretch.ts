import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock.ts";

/** So long may be worked at a stretch while others wait. */
const STRETCH_MS_MAX = 10;

/**
 * Work that one thread does for one while all others wait. To be asked between its steps: where they have taken long, the
 * others have their turn first.
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

  /** Lets the others have their turn; then another stretch begins. */
  async end(): Promise<void> {
    await nextTurn();
    this.#from = this.#clock.now();
  }
}
