/** How a source call ended. */
export type CallEnd = "match" | "no_match" | "failed";

/** What happened in the latest stretch of time. */
export interface WindowSums {
  readonly match: number;
  readonly no_match: number;
  readonly failed: number;
  /** `null` if nothing happened. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** What happened slot by slot, the oldest first. The last slot is that of now, which is not over. */
export interface WindowSeries {
  readonly everyMs: number;
  /** How long ago the last one began. */
  readonly begunMsAgo: number;
  readonly slots: readonly WindowSums[];
}

const ENDS: readonly CallEnd[] = ["match", "no_match", "failed"];
/** Each doubling of time has four buckets, so a percentile is at most an eighth off. */
const STEPS_BITS = 2;
const STEPS = 1 << STEPS_BITS;
/** The last bucket begins at 14 minutes, which is longer than any call. */
const BUCKETS = 19 * STEPS;
const WIDTH = ENDS.length + BUCKETS;

/**
 * Counts what ended in the latest stretch of time, in slots that are used again in turn. Counting adds to two numbers of
 * one array. The oldest slot counts with the part of it that is not over yet, so that a steady rate looks steady.
 */
export class Window {
  readonly #slotMs: number;
  readonly #slots: number;
  readonly #counts: Uint32Array;
  #slot = -1;

  /** @param lengthMs of which `slots` are an equal share each */
  constructor(lengthMs: number, slots: number) {
    this.#slotMs = lengthMs / slots;
    this.#slots = slots + 1;
    this.#counts = new Uint32Array(this.#slots * WIDTH);
  }

  add(now: number, end: CallEnd, tookMs: number): void {
    const slot = this.#turnTo(now);
    const at = (slot % this.#slots) * WIDTH;
    this.#counts[at + ENDS.indexOf(end)]! += 1;
    this.#counts[at + ENDS.length + bucketOf(tookMs)]! += 1;
  }

  sums(now: number): WindowSums {
    const slot = this.#turnTo(now);
    const sums = new Float64Array(WIDTH);
    const left = 1 - (now / this.#slotMs - slot);
    for (let back = 0; back < this.#slots; back += 1) {
      const share = back === this.#slots - 1 ? left : 1;
      const at = ((slot - back + this.#slots) % this.#slots) * WIDTH;
      for (let which = 0; which < WIDTH; which += 1) sums[which]! += share * this.#counts[at + which]!;
    }
    return toSums(sums);
  }

  series(now: number): WindowSeries {
    const slot = this.#turnTo(now);
    const slots = Array.from({ length: this.#slots }, (_, at) => {
      const begin = ((slot + 1 + at) % this.#slots) * WIDTH;
      return toSums(Float64Array.from(this.#counts.subarray(begin, begin + WIDTH)));
    });
    return { everyMs: this.#slotMs, begunMsAgo: now - slot * this.#slotMs, slots };
  }

  /** Empties the slots whose time has come again. The clock is monotonic. */
  #turnTo(now: number): number {
    const slot = Math.floor(now / this.#slotMs);
    if (slot === this.#slot) return slot;
    const steps = this.#slot === -1 ? 0 : Math.min(slot - this.#slot, this.#slots);
    for (let step = 0; step < steps; step += 1) {
      const at = ((slot - step) % this.#slots) * WIDTH;
      this.#counts.fill(0, at, at + WIDTH);
    }
    this.#slot = slot;
    return slot;
  }
}

function toSums(counts: Float64Array): WindowSums {
  const times = counts.subarray(ENDS.length);
  const [match, no_match, failed] = counts.subarray(0, ENDS.length).map(Math.round) as unknown as [number, number, number]; // prettier-ignore
  return { match, no_match, failed, p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

/** The number of a time's bucket: the position of its first bit, and the two bits after that. */
function bucketOf(tookMs: number): number {
  const ms = Math.max(0, Math.round(tookMs));
  if (ms < STEPS) return ms;
  const power = 31 - Math.clz32(ms);
  const step = (ms >>> (power - STEPS_BITS)) & (STEPS - 1);
  return Math.min(BUCKETS - 1, (power - STEPS_BITS + 1) * STEPS + step);
}

function startOf(bucket: number): number {
  if (bucket < STEPS) return bucket;
  const power = Math.floor(bucket / STEPS) + STEPS_BITS - 1;
  return 2 ** power + (bucket % STEPS) * 2 ** (power - STEPS_BITS);
}

/** The middle of the bucket in which the percentile is. */
function percentile(buckets: Float64Array, share: number): number | null {
  const total = buckets.reduce((sum, one) => sum + one, 0);
  // Less than half of one is what is left of something that ended a whole stretch ago.
  if (total < 0.5) return null;
  let before = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    before += buckets[bucket]!;
    if (before >= share * total) return Math.round((startOf(bucket) + startOf(bucket + 1) - 1) / 2);
  }
  return startOf(BUCKETS - 1);
}
