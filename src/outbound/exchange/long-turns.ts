import type { Clock } from "../../terms/clock.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";

/** Parsing, checking or writing a larger reply blocks the thread for milliseconds. */
export const LONG_TURN_FROM_BYTES = 256 * 1024;
/** The longest pause, however long a turn seems to have taken: a process that was suspended must go on at once. */
const PAUSE_MAX_MS = 200;

interface Turn {
  /** Whether nobody else has a run in progress. */
  isAlone(): boolean;
  /** Does one turn of work. True if there is more to do. */
  take(): boolean;
}

/**
 * Large replies are read and handed on one at a time and in short turns, with owners taking turns. While anyone else
 * has work in progress, each turn is followed by a pause of the same length, so that half of the thread's time is left
 * for short work.
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
    // By then, the code that waited for the reply has done its synchronous work, which counts as part of the turn.
    setImmediate(() => {
      const tookMs = Math.min(PAUSE_MAX_MS, this.#clock.now() - from);
      if (turn.isAlone()) this.#next();
      else this.#clock.after(tookMs, () => this.#next());
    });
  }
}
