import { OUTCOME_LABELS, type OutcomeLabel } from "../terms/counted-end.ts";

/** Sums of a period: the number of each outcome, and percentiles of the timed ones. */
export interface WindowSums extends Readonly<Record<OutcomeLabel, number>> {
  /** `null` if nothing was timed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

/** Sums by slot, the oldest first. The last slot is the current, unfinished one. */
export interface WindowSeries {
  readonly everyMs: number;
  /** Time since the start of the last slot, in milliseconds. */
  readonly begunMsAgo: number;
  readonly slots: readonly WindowSums[];
}

const PLACE = Object.fromEntries(OUTCOME_LABELS.map((end, at) => [end, at])) as Readonly<Record<OutcomeLabel, number>>;
const ENDS = OUTCOME_LABELS.length;
/** Four buckets for each doubling of the duration, so a percentile is at most an eighth off. */
const STEPS_BITS = 2;
const STEPS = 1 << STEPS_BITS;
/** The last bucket starts at 14 minutes, which exceeds every call. */
const BUCKETS = 19 * STEPS;
const WIDTH = ENDS + BUCKETS;

/**
 * Counts outcomes over a sliding period, in slots that are reused. Counting adds to two numbers of one array. The
 * oldest slot counts only with the share that is still within the period, so that a steady rate looks steady.
 */
export class Window {
  readonly #slotMs: number;
  readonly #slots: number;
  readonly #counts: Uint32Array;
  #slot = -1;
  /** Position of the current slot in the array, and its end. */
  #at = 0;
  #until = Number.NEGATIVE_INFINITY;

  /** @param lengthMs length of the period, divided into `slots` equal slots */
  constructor(lengthMs: number, slots: number) {
    this.#slotMs = lengthMs / slots;
    this.#slots = slots + 1;
    this.#counts = new Uint32Array(this.#slots * WIDTH);
  }

  /** @param tookMs duration; `null` if it is not counted */
  add(now: number, end: OutcomeLabel, tookMs: number | null): void {
    if (now >= this.#until) this.#turnTo(now);
    const at = this.#at;
    this.#counts[at + PLACE[end]]! += 1;
    if (tookMs !== null) this.#counts[at + ENDS + bucketOf(tookMs)]! += 1;
  }

  /** The number of all outcomes. Far cheaper than `sums`. */
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

  /** Clears the slots that are reused. The clock is monotonic. */
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
  const ofEnd = (end: OutcomeLabel) => Math.round(counts[PLACE[end]]!);
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

/** The bucket of a duration: the position of its highest bit, and the next two bits. */
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

/** The middle of the bucket that contains the percentile. */
function percentile(counts: Float64Array, total: number, share: number): number | null {
  // Less than half an event is the remainder of one that ended a whole period ago.
  if (total < 0.5) return null;
  let before = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    before += counts[ENDS + bucket]!;
    if (before >= share * total) return Math.round((startOf(bucket) + startOf(bucket + 1) - 1) / 2);
  }
  return startOf(BUCKETS - 1);
}
