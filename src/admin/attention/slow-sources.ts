import type { SlowSource } from "../../health/ports.ts";
import { percentileOf } from "../../ledger/history/durations.ts";
import type { LedgerAnswers } from "../../ledger/read/ledger-reader.ts";
import { DAY_MS, HOUR_MS } from "../../terms/time/durations.ts";

const LATELY_HOURS = 3;
const USUALLY_DAYS = 28;
/** Fewer calls show no percentile. */
const CALLS_MIN = { lately: 50, usually: 500 } as const;
/** Twice as long is more than the histogram's bounds are apart, and a few ms more delay nobody. */
const TIMES_MIN = 2;
const MORE_MS_MIN = 100;
const SOURCES_MAX = 1_000;

/** Compares the last hours that have totals with the days before. Reads totals only. */
export async function findSlowSources(
  ledger: Pick<LedgerAnswers, "history">,
  wallAt: number,
): Promise<readonly SlowSource[]> {
  const durationsOf = async (step: "hour" | "day", from: number, to: number) => {
    const asked = { by: "source", step, from, to, timeZone: "UTC", groupsMax: SOURCES_MAX, onlyTotals: true } as const;
    const { groups } = await ledger.history(asked);
    return new Map(groups.map(({ key, total }) => [key, total.buckets]));
  };
  const hour = wallAt - (wallAt % HOUR_MS);
  // The last hour has its totals some minutes after its end.
  const lately = await durationsOf("hour", hour - (LATELY_HOURS + 1) * HOUR_MS, hour);
  const today = wallAt - (wallAt % DAY_MS);
  const usually = await durationsOf("day", today - USUALLY_DAYS * DAY_MS, today);
  return [...lately].flatMap(([source, buckets]) => {
    const before = usually.get(source) ?? [];
    if (countOf(buckets) < CALLS_MIN.lately || countOf(before) < CALLS_MIN.usually) return [];
    const [p95Ms, usualP95Ms] = [percentileOf(buckets, 0.95)!, percentileOf(before, 0.95)!];
    const isSlow = p95Ms >= TIMES_MIN * usualP95Ms && p95Ms - usualP95Ms >= MORE_MS_MIN;
    return isSlow ? [{ source, p95Ms, usualP95Ms }] : [];
  });
}

function countOf(buckets: readonly number[]): number {
  return buckets.reduce((sum, one) => sum + one, 0);
}
