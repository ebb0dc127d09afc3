import type { Clock } from "../../terms/clock.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";

/** What is larger takes everybody's thread for milliseconds at a stretch: to be parsed, looked through, written. */
export const LONG_FROM_BYTES = 256 * 1024;
/** However long a turn seems to have taken: a process that was stopped goes on at once. */
const PAUSE_MAX_MS = 200;

interface Turn {
  /** Whether nobody else has anything under way. */
  isAlone(): boolean;
  /** True: it goes on, in another turn. */
  take(): boolean;
}

/**
 * Large replies are read and handed on one at a time and in short turns, owners one after the other. While anybody else has
 * something under way, each turn is followed by a pause as long as it took, so that half of the thread's time is for what
 * is quick.
 */
export class LongTurns {
  readonly #clock: Clock;
  readonly #waiting = new TurnQueue<{ readonly owner: string; readonly turn: Turn }>();
  #busy = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(owner: string, turn: Turn): void {
    this.#waiting.add(owner, { owner, turn });
    if (!this.#busy) this.#next();
  }

  #next(): void {
    const next = this.#waiting.next(() => true);
    this.#busy = next !== undefined;
    if (next === undefined) return;
    const { owner, turn } = next;
    const from = this.#clock.now();
    if (turn.take()) this.#waiting.putBack(owner, next);
    // By then whoever waited for the reply has done with it what is done at once.
    setImmediate(() => {
      const tookMs = Math.min(PAUSE_MAX_MS, this.#clock.now() - from);
      if (turn.isAlone()) this.#next();
      else this.#clock.after(tookMs, () => this.#next());
    });
  }
}
