import type { Clock } from "./clock.ts";
import { TurnQueue } from "./turn-queue.ts";

/** How long all tasks together may block the thread in one turn of the event loop. */
export const TURN_MS_MAX = 10;
/** A turn of the loop that took longer had something else to do. */
const IDLE_MS_MAX = 1;
/** The longest time for others, however long a turn seems to have taken: a suspended process must go on at once. */
const PAUSE_MS_MAX = 200;
/** The most tasks that go on in one turn of the loop. */
const RELEASED_MAX = 8;

/**
 * Tasks that use the thread for milliseconds. Each of them gives way to others after a while; but if dozens go on in the
 * same turn of the event loop, they still block it for as long as all of them take. So they share the time of a turn.
 * What does not fit in waits: tasks that have begun and new ones are let in alternately, and owners take turns to begin.
 *
 * After each turn, as much time is left for short work, if there is any.
 */
export class LoopTurns {
  static readonly #byClock = new WeakMap<Clock, LoopTurns>();
  readonly #clock: Clock;
  readonly #begun: (() => void)[] = [];
  readonly #new = new TurnQueue<() => void>();
  /** When the first task of the current turn began or went on; `null` if none has. */
  #from: number | null = null;
  /** Otherwise the tasks of one owner, once begun, could keep all others from beginning. */
  #isNewNext = false;
  #isPlanned = false;
  #isOpen = false;
  #lookedAt = 0;
  #othersUntil = 0;

  private constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The tasks of a thread share one clock. */
  static of(clock: Clock): LoopTurns {
    let turns = LoopTurns.#byClock.get(clock);
    if (turns === undefined) LoopTurns.#byClock.set(clock, (turns = new LoopTurns(clock)));
    return turns;
  }

  /**
   * To be called right before something that may take milliseconds. Returns nothing if it may begin at once: it then has
   * to, because until it has used time, others are told the same.
   */
  enter(owner: string): Promise<void> | void {
    if (!this.#isPlanned && !this.isUsedUp(this.begin())) return;
    return new Promise((resolve) => {
      this.#new.add(owner, resolve);
      this.#plan();
    });
  }

  /** A task begins, and does not wait. Returns the time. */
  begin(): number {
    const now = this.#clock.now();
    if (this.#from === null) {
      this.#from = now;
      this.#endTurnLater();
    }
    return now;
  }

  isUsedUp(now: number): boolean {
    return this.#from !== null && now - this.#from > TURN_MS_MAX;
  }

  /** For a task that has begun. Resolves when it may go on. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#begun.push(resolve);
      this.#plan();
    });
  }

  get #waiting(): number {
    return this.#begun.length + this.#new.size;
  }

  #plan(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setImmediate(() => this.#open());
    // What a task does when it is released has been done when the next callback runs.
    const more = Math.min(RELEASED_MAX, this.#waiting) - 1;
    for (let count = 0; count < more; count += 1) setImmediate(() => this.#releaseAnother());
    setImmediate(() => this.#close());
  }

  #open(): void {
    const now = this.#clock.now();
    this.#isOpen = now >= this.#othersUntil || now - this.#lookedAt <= IDLE_MS_MAX;
    if (!this.#isOpen) return;
    this.#from = now;
    this.#release();
  }

  #releaseAnother(): void {
    if (this.#isOpen && !this.isUsedUp(this.#clock.now())) this.#release();
  }

  #release(): void {
    const begun = this.#isNewNext ? undefined : this.#begun.shift();
    const next = begun ?? this.#new.next(() => true) ?? this.#begun.shift();
    this.#isNewNext = begun !== undefined;
    next?.();
  }

  #close(): void {
    const now = this.#clock.now();
    if (this.#isOpen) this.#othersUntil = now + Math.min(PAUSE_MS_MAX, now - this.#from!);
    this.#isOpen = false;
    this.#lookedAt = now;
    this.#isPlanned = false;
    if (this.#waiting > 0) this.#plan();
    else this.#endTurnLater();
  }

  #endTurnLater(): void {
    setImmediate(() => {
      if (!this.#isPlanned) this.#from = null;
    });
  }
}
