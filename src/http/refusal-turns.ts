import type { Clock } from "../terms/clock.ts";
import { TurnQueue } from "../terms/turn-queue.ts";

/** The number of refusals per period: about a fifth of what the event loop can do. */
export const REFUSALS_MAX = 4;
const PER_MS = 1;

type Send = () => void;

/**
 * Limits the rate of refusals. Refused callers often try again at once, by the hundreds, and each answer takes time of the
 * event loop that runs need too. So only a few are sent per millisecond; the others wait, and organizations take turns.
 * Once the service is stopping, nobody waits any more.
 */
export class RefusalTurns {
  readonly #clock: Clock;
  readonly #isStopping: () => boolean;
  readonly #waiting = new TurnQueue<Send>();
  #left = REFUSALS_MAX;

  constructor(clock: Clock, isStopping: () => boolean) {
    this.#clock = clock;
    this.#isStopping = isStopping;
  }

  /** Calls `send` in its turn: at once, if there is room. */
  add(owner: string, send: Send): void {
    this.#waiting.add(owner, send);
    this.#sendSome();
  }

  /** The refusal need not be sent any more. */
  remove(owner: string, send: Send): void {
    this.#waiting.remove(owner, send);
  }

  #sendSome(): void {
    while (this.#left > 0 || this.#isStopping()) {
      const send = this.#waiting.next(() => true);
      if (send === undefined) return;
      // The first refusal of a period starts it.
      if (this.#left === REFUSALS_MAX) this.#clock.after(PER_MS, () => this.#goOn());
      this.#left -= 1;
      send();
    }
  }

  #goOn(): void {
    this.#left = REFUSALS_MAX;
    this.#sendSome();
  }
}
