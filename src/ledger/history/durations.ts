/*
 * A histogram of durations whose bounds never change, so that the histograms of several times, sources or machines can
 * be added.
 */

/** Upper bounds of the buckets in ms, included. One more bucket has longer durations. */
export const DURATION_BOUNDS_MS: readonly number[] = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000,
  15_000, 20_000, 30_000, 60_000, 120_000,
];

/** The index of the bucket of a column in ms, in SQL; null for null. */
export function bucketOf(column: string): string {
  const branches = DURATION_BOUNDS_MS.map((bound, bucket) => `WHEN ${column} <= ${bound} THEN ${bucket}`);
  return `CASE WHEN ${column} IS NULL THEN NULL ${branches.join(" ")} ELSE ${DURATION_BOUNDS_MS.length} END`;
}

/**
 * An estimate of a percentile in ms: durations are assumed to be spread evenly in their bucket. Durations above the
 * last bound count as that bound. `null` without durations.
 * @param buckets number of durations per bucket; missing ones are 0
 */
export function percentileOf(buckets: readonly number[], share: number): number | null {
  const total = buckets.reduce((sum, one) => sum + one, 0);
  if (total === 0) return null;
  const rank = Math.ceil(share * total);
  let before = 0;
  for (const [bucket, count] of buckets.entries()) {
    if (before + count < rank) {
      before += count;
      continue;
    }
    const from = DURATION_BOUNDS_MS[bucket - 1] ?? 0;
    const to = DURATION_BOUNDS_MS[bucket] ?? from;
    return Math.round(from + ((to - from) * (rank - before)) / count);
  }
  return null;
}
