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
} from "../inside/limits.ts";

/**
 * What one run has sent out of its isolate, counted again where its code is not. Each method says whether the run may:
 * the prelude stops at the same bounds, so that a "no" here means that somebody has got past it.
 */
export class Outgoing {
  readonly #underWay = new Map<number, number>();
  #bytesUnderWay = 0;
  #calls = 0;
  #callBytes = 0;
  #pipes = 0;
  #pipeBytes = 0;
  #logs = 0;
  #rejections = 0;
  #alarms = 0;

  /** Whether a call has not had its reply yet. */
  get isWaiting(): boolean {
    return this.#underWay.size > 0;
  }

  call(call: number, inputs: string): boolean {
    const bytes = Buffer.byteLength(inputs);
    this.#calls += 1;
    this.#callBytes += bytes;
    this.#bytesUnderWay += bytes;
    this.#underWay.set(call, bytes);
    return (
      bytes <= JSON_BYTES &&
      this.#calls <= CALLS_MAX &&
      this.#callBytes <= CALLS_BYTES &&
      this.#underWay.size <= CALLS_AT_ONCE &&
      this.#bytesUnderWay <= CALLS_BYTES_AT_ONCE
    );
  }

  replied(call: number): void {
    this.#bytesUnderWay -= this.#underWay.get(call) ?? 0;
    this.#underWay.delete(call);
  }

  pipe(json: string): boolean {
    this.#pipes += 1;
    this.#pipeBytes += Buffer.byteLength(json);
    // A step that failed leaves a short text of ours, and is not among the bytes that the prelude counts.
    return this.#pipes <= PIPES_MAX && this.#pipeBytes <= JSON_BYTES + PIPES_MAX * FAILED_STEP.length;
  }

  log(): boolean {
    this.#logs += 1;
    // One more says that the others are dropped.
    return this.#logs <= LOGS_MAX + 1;
  }

  /** A rejection that nobody handled is told as a line of its own, which the prelude does not count. */
  rejection(): boolean {
    this.#rejections += 1;
    return this.#rejections <= LOGS_MAX;
  }

  alarm(): boolean {
    this.#alarms += 1;
    return this.#alarms <= ALARMS_MAX;
  }
}
