import type { EndedCalls, CallHistory } from "./ports.ts";
import { type Share, shareShift, sumOfShares } from "./probabilities.ts";

/** The figures of the calls of a time. */
export interface HealthFigures {
  readonly calls: number;
  /** Of the calls that succeeded, the share with a record; `null` without such calls. The same for the others. */
  readonly matchRate: number | null;
  /** Of the calls that succeeded or failed, the share that failed. */
  readonly failureRate: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
}

type PercentileMs = CallHistory["percentileMs"];

export type CallShift = "match_rate" | "failure_rate" | "latency";

/** A difference that chance produces in one of 100,000 comparisons, in either direction. */
const Z_MIN = 4.42;
/** The least difference of a rate that is reported. */
const LEAST_SHIFT = { match_rate: 0.05, failure_rate: 0.02 } as const;
/** The least calls of each time for a comparison. */
const CALLS_MIN = 50;
const TIMED_MIN = 100;
/** A slower p95 is reported if it is this many times that before, longer by this much, and more calls are slow. */
const SLOWER_TIMES = 1.5;
const SLOWER_MS = 100;
const DAYS_MIN = 3;

/** The shifts of the present calls against those of earlier days. */
export function findCallShifts(
  now: readonly EndedCalls[],
  days: readonly EndedCalls[],
  percentileMs: PercentileMs,
): readonly CallShift[] {
  const sums = sumOf(now);
  const shifts: CallShift[] = [];
  if (isShifted("match_rate", matchShare(sums), days.map(matchShare))) shifts.push("match_rate");
  if (isShifted("failure_rate", failureShare(sums), days.map(failureShare))) shifts.push("failure_rate");
  if (isSlower(sums, days, percentileMs)) shifts.push("latency");
  return shifts;
}

export function figuresOf(steps: readonly EndedCalls[], percentileMs: PercentileMs): HealthFigures {
  const sums = sumOf(steps);
  const { durations, match, noMatch, failed } = sums;
  return {
    calls: match + noMatch + failed,
    matchRate: rateOf(matchShare(sums)),
    failureRate: rateOf(failureShare(sums)),
    p50Ms: percentileMs(durations, 0.5),
    p95Ms: percentileMs(durations, 0.95),
    p99Ms: percentileMs(durations, 0.99),
  };
}

type Sums = Omit<EndedCalls, "at">;

function sumOf(steps: readonly EndedCalls[]): Sums {
  const durations: number[] = [];
  let [match, noMatch, failed] = [0, 0, 0];
  for (const step of steps) {
    match += step.match;
    noMatch += step.noMatch;
    failed += step.failed;
    for (const [at, count] of step.durations.entries()) durations[at] = (durations[at] ?? 0) + count;
  }
  return { match, noMatch, failed, durations };
}

function matchShare({ match, noMatch }: Sums): Share {
  return { part: match, of: match + noMatch };
}

function failureShare({ match, noMatch, failed }: Sums): Share {
  return { part: failed, of: match + noMatch + failed };
}

function rateOf({ part, of }: Share): number | null {
  return of === 0 ? null : part / of;
}

function isShifted(kind: keyof typeof LEAST_SHIFT, now: Share, days: readonly Share[]): boolean {
  const before = sumOfShares(days);
  if (now.of < CALLS_MIN || before.of < CALLS_MIN) return false;
  if (Math.abs(now.part / now.of - before.part / before.of) < LEAST_SHIFT[kind]) return false;
  return Math.abs(shareShift(now, days)) >= Z_MIN;
}

function isSlower(now: Sums, days: readonly EndedCalls[], percentileMs: PercentileMs): boolean {
  const comparable = days.filter((day) => timed(day) >= TIMED_MIN);
  if (timed(now) < TIMED_MIN || comparable.length < DAYS_MIN) return false;
  const before = sumOf(comparable);
  const p95 = ({ durations }: Sums) => percentileMs(durations, 0.95)!;
  const [present, usual] = [p95(now), p95(before)];
  if (present < usual * SLOWER_TIMES || present < usual + SLOWER_MS) return false;
  // A percentile between two usual durations moves by chance; the share of slow calls tells.
  const slowest = slowestBuckets(before);
  const slow = (sums: Sums): Share => ({ part: count(sums.durations.slice(slowest)), of: timed(sums) });
  return shareShift(slow(now), comparable.map(slow)) >= Z_MIN;
}

/** The first of the buckets that together have at most the slowest 5 % of the calls. */
function slowestBuckets(sums: Sums): number {
  let bucket = sums.durations.length;
  for (let slower = 0; bucket > 0; bucket -= 1) {
    slower += sums.durations[bucket - 1] ?? 0;
    if (slower > 0.05 * timed(sums)) break;
  }
  return bucket;
}

function timed({ durations }: Sums): number {
  return count(durations);
}

function count(numbers: readonly number[]): number {
  return numbers.reduce((sum, one) => sum + one, 0);
}
