import {
  ALARMS_MAX,
  CALLS_AT_ONCE,
  CALLS_BYTES,
  CALLS_BYTES_AT_ONCE,
  CALLS_MAX,
  FAILED_STEP,
  JSON_BYTES,
  LOGS_MAX,
  PIPES_MAX,
} from "../inside/bridge-limits.ts";

/**
 * Counts what one run has sent out of its isolate, where the author's code cannot reach the counters. Each method
 * returns whether the run may send the item. The prelude enforces the same limits, so `false` means that the author's
 * code has bypassed the prelude.
 */
export class Outgoing {
  readonly #pendingCalls = new Map<number, number>();
  #pendingBytes = 0;
  #calls = 0;
  #callBytes = 0;
  #pipes = 0;
  #pipeBytes = 0;
  #logs = 0;
  #rejections = 0;
  #alarms = 0;

  /** Whether a call is still waiting for its reply. */
  get isWaiting(): boolean {
    return this.#pendingCalls.size > 0;
  }

  call(call: number, inputs: string): boolean {
    const bytes = Buffer.byteLength(inputs);
    this.#calls += 1;
    this.#callBytes += bytes;
    this.#pendingBytes += bytes;
    this.#pendingCalls.set(call, bytes);
    return (
      bytes <= JSON_BYTES &&
      this.#calls <= CALLS_MAX &&
      this.#callBytes <= CALLS_BYTES &&
      this.#pendingCalls.size <= CALLS_AT_ONCE &&
      this.#pendingBytes <= CALLS_BYTES_AT_ONCE
    );
  }

  replied(call: number): void {
    this.#pendingBytes -= this.#pendingCalls.get(call) ?? 0;
    this.#pendingCalls.delete(call);
  }

  pipe(json: string): boolean {
    this.#pipes += 1;
    this.#pipeBytes += Buffer.byteLength(json);
    // A failed step sends `FAILED_STEP`, whose bytes the prelude does not count.
    return this.#pipes <= PIPES_MAX && this.#pipeBytes <= JSON_BYTES + PIPES_MAX * FAILED_STEP.length;
  }

  log(): boolean {
    this.#logs += 1;
    // One more line announces that further lines are dropped.
    return this.#logs <= LOGS_MAX + 1;
  }

  /** An unhandled rejection is logged as a separate line, which the prelude does not count. */
  rejection(): boolean {
    this.#rejections += 1;
    return this.#rejections <= LOGS_MAX;
  }

  alarm(): boolean {
    this.#alarms += 1;
    return this.#alarms <= ALARMS_MAX;
  }
}
