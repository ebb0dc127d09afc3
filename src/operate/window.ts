import { COUNTED_ENDS, type CountedEnd } from "../terms/counted-end.ts";

/** What happened in a stretch of time: how many ended in each way, and how long those took whose time is counted. */
export interface WindowSums extends Readonly<Record<CountedEnd, number>> {
  /** `null` if no time was counted. */
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

const PLACE = Object.fromEntries(COUNTED_ENDS.map((end, at) => [end, at])) as Readonly<Record<CountedEnd, number>>;
const ENDS = COUNTED_ENDS.length;
/** Each doubling of time has four buckets, so a percentile is at most an eighth off. */
const STEPS_BITS = 2;
const STEPS = 1 << STEPS_BITS;
/** The last bucket begins at 14 minutes, which is longer than any call. */
const BUCKETS = 19 * STEPS;
const WIDTH = ENDS + BUCKETS;

/**
 * Counts what ended in the latest stretch of time, in slots that are used again in turn. Counting adds to two numbers of
 * one array. The oldest slot counts with the part of it that is not over yet, so that a steady rate looks steady.
 */
export class Window {
  readonly #slotMs: number;
  readonly #slots: number;
  readonly #counts: Uint32Array;
  #slot = -1;
  /** Where the slot of now has its numbers, and when it is over. */
  #at = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** @param lengthMs of which `slots` are an equal share each */
  constructor(lengthMs: number, slots: number) {
    this.#slotMs = lengthMs / slots;
    this.#slots = slots + 1;
    this.#counts = new Uint32Array(this.#slots * WIDTH);
  }

  /** @param tookMs `null`: its time says nothing, and is not counted */
  add(now: number, end: CountedEnd, tookMs: number | null): void {
    if (now >= this.#until) this.#turnTo(now);
    const at = this.#at;
    this.#counts[at + PLACE[end]]! += 1;
    if (tookMs !== null) this.#counts[at + ENDS + bucketOf(tookMs)]! += 1;
  }

  /** How many have ended, which costs far less than the rest of the sums. */
  total(now: number): number {
    if (now >= this.#until) this.#turnTo(now);
    const left = (this.#until - now) / this.#slotMs;
    const ends = new Float64Array(ENDS);
    for (let back = 0; back < this.#slots; back += 1) {
      const at = this.#placeOf(this.#slot - back);
      const share = back === this.#slots - 1 ? left : 1;
      for (let end = 0; end < ENDS; end += 1) ends[end]! += share * this.#counts[at + end]!;
    }
    return ends.reduce((total, end) => total + Math.round(end), 0);
  }

  sums(now: number): WindowSums {
    if (now >= this.#until) this.#turnTo(now);
    const sums = new Float64Array(WIDTH);
    const left = (this.#until - now) / this.#slotMs;
    for (let back = 0; back < this.#slots; back += 1)
      this.#addTo(sums, this.#slot - back, back === this.#slots - 1 ? left : 1);
    return toSums(sums);
  }

  series(now: number): WindowSeries {
    if (now >= this.#until) this.#turnTo(now);
    const slots = Array.from({ length: this.#slots }, (_, at) => {
      const sums = new Float64Array(WIDTH);
      this.#addTo(sums, this.#slot - (this.#slots - 1) + at, 1);
      return toSums(sums);
    });
    return { everyMs: this.#slotMs, begunMsAgo: now - (this.#until - this.#slotMs), slots };
  }

  #addTo(sums: Float64Array, slot: number, share: number): void {
    const at = this.#placeOf(slot);
    // Most slots of most sources are empty.
    let ended = 0;
    for (let end = 0; end < ENDS; end += 1) ended += this.#counts[at + end]!;
    if (ended === 0) return;
    for (let which = 0; which < WIDTH; which += 1) sums[which]! += share * this.#counts[at + which]!;
  }

  #placeOf(slot: number): number {
    return ((slot + this.#slots) % this.#slots) * WIDTH;
  }

  /** Empties the slots whose time has come again. The clock is monotonic. */
  #turnTo(now: number): void {
    const slot = Math.floor(now / this.#slotMs);
    const steps = this.#slot === -1 ? 0 : Math.min(slot - this.#slot, this.#slots);
    for (let step = 0; step < steps; step += 1) {
      const at = this.#placeOf(slot - step);
      this.#counts.fill(0, at, at + WIDTH);
    }
    this.#slot = slot;
    this.#at = this.#placeOf(slot);
    this.#until = (slot + 1) * this.#slotMs;
  }
}

function toSums(counts: Float64Array): WindowSums {
  let total = 0;
  for (let bucket = ENDS; bucket < WIDTH; bucket += 1) total += counts[bucket]!;
  const ofEnd = (end: CountedEnd) => Math.round(counts[PLACE[end]]!);
  return {
    match: ofEnd("match"),
    no_match: ofEnd("no_match"),
    failed: ofEnd("failed"),
    rejected: ofEnd("rejected"),
    no_credential: ofEnd("no_credential"),
    p50Ms: percentile(counts, total, 0.5),
    p99Ms: percentile(counts, total, 0.99),
  };
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
function percentile(counts: Float64Array, total: number, share: number): number | null {
  // Less than half of one is what is left of something that ended a whole stretch ago.
  if (total < 0.5) return null;
  let before = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    before += counts[ENDS + bucket]!;
    if (before >= share * total) return Math.round((startOf(bucket) + startOf(bucket + 1) - 1) / 2);
  }
  return startOf(BUCKETS - 1);
}
