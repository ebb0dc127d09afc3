import type { Clock } from "../../terms/clock.ts";

const SAMPLE_EVERY_MS = 10 * 60 * 1_000;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** How fast something has grown, over the last day or since the start. */
export class GrowthRate {
  readonly #clock: Clock;
  readonly #samples: { readonly at: number; readonly bytes: number }[] = [];
  #latest = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  add(bytes: number): void {
    const at = this.#clock.now();
    this.#latest = bytes;
    const last = this.#samples.at(-1);
    if (last !== undefined && at - last.at < SAMPLE_EVERY_MS) return;
    this.#samples.push({ at, bytes });
    while (at - this.#samples[0]!.at > DAY_MS) this.#samples.shift();
  }

  /** `null` until it has been watched for long enough to say. */
  perDay(): number | null {
    const first = this.#samples[0];
    if (first === undefined) return null;
    const passedMs = this.#clock.now() - first.at;
    return passedMs < SAMPLE_EVERY_MS ? null : ((this.#latest - first.bytes) * DAY_MS) / passedMs;
  }
}
