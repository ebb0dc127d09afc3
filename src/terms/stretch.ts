import type { Clock } from "./clock.ts";
import { LoopTurns } from "./loop-turns.ts";

/** A task that has used the thread for less than this does not wait for others that have used it for long. */
const SHORT_MS_MAX = 2;

/**
 * One task's use of the thread while all others wait. To be asked between its steps: if long tasks have used this turn
 * of the event loop up, this one among them, other work is done first.
 */
export class Stretch {
  readonly #clock: Clock;
  readonly #turns: LoopTurns;
  readonly #owner: string;
  #from: number;

  /** `owner`: for whom it is; owners take turns. */
  constructor(clock: Clock, owner = "") {
    this.#clock = clock;
    this.#owner = owner;
    this.#turns = LoopTurns.of(clock);
    this.#from = this.#turns.begin();
  }

  /** Before something that may take milliseconds: if others have used this turn up, waits for another. */
  begin(): Promise<void> | void {
    return this.#turns.enter(this.#owner)?.then(() => this.#startAnew());
  }

  get isLong(): boolean {
    // It may have waited for something else since it began, and be the first in this turn.
    const now = this.#turns.begin();
    return now - this.#from > SHORT_MS_MAX && this.#turns.isUsedUp(now);
  }

  /** Lets other work be done; then a new stretch begins. */
  async end(): Promise<void> {
    await this.#turns.next();
    this.#startAnew();
  }

  #startAnew(): void {
    this.#from = this.#clock.now();
  }
}
