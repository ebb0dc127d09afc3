import { Fault } from "../../terms/fault.ts";
import type { FunctionProcess } from "./function-process.ts";
import type { Running } from "./running.ts";
import type { Schedule } from "./schedule.ts";

/** The most waiting shadow runs. They wait only for each other, or for the start of a process. */
const WAITING_MAX = 16;
/** How long no shadow run starts after a real run had to wait for another one. */
const PAUSE_MS = 1_000;

/** Shadow runs that have not started. They give way to real runs: what cannot start soon is dropped. */
export class ShadowQueue {
  readonly #schedule: Schedule;
  readonly #now: () => number;
  readonly #waiting = new Set<Running>();
  #pausedUntil = Number.NEGATIVE_INFINITY;
  #needsProcess = false;

  constructor(schedule: Schedule, now: () => number) {
    this.#schedule = schedule;
    this.#now = now;
  }

  /** Whether a shadow run waits for a process: one spare more than the one for real runs. */
  get needsProcess(): boolean {
    return this.#needsProcess;
  }

  has(running: Running): boolean {
    return this.#waiting.has(running);
  }

  /** `false` if the run cannot wait now. */
  add(running: Running): boolean {
    const isBusy = this.#schedule.isFull || this.#now() < this.#pausedUntil;
    if (isBusy || this.#waiting.size >= WAITING_MAX) return false;
    this.#waiting.add(running);
    return true;
  }

  remove(running: Running): void {
    this.#waiting.delete(running);
    if (this.#waiting.size === 0) this.#needsProcess = false;
  }

  /** Passes each run that has a process now to `start`, and drops those that will have none. */
  serve(start: (process: FunctionProcess, running: Running) => void): void {
    for (const running of this.#waiting) {
      const process = this.#schedule.placeShadow(running);
      if (process === "full") continue;
      if (process !== undefined) {
        this.#waiting.delete(running);
        this.#needsProcess = false;
        start(process, running);
      } else if (this.#schedule.hasShadowPlace) this.#needsProcess = true;
      else {
        this.#waiting.delete(running);
        running.fail(new Fault("function.overloaded"));
      }
    }
  }

  pause(): void {
    this.#pausedUntil = this.#now() + PAUSE_MS;
    this.drop();
  }

  drop(): void {
    for (const running of this.#waiting) running.fail(new Fault("function.overloaded"));
    this.#waiting.clear();
    this.#needsProcess = false;
  }
}
