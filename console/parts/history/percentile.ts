/**
 * An estimate of a percentile in ms, as the service makes it: durations are assumed to be spread evenly in their bucket,
 * and those above the last bound count as that bound. `null` without durations.
 * @param buckets number of durations per bucket; missing ones are 0
 * @param bounds upper bounds of the buckets in ms, included
 */
export function percentileOf(buckets: readonly number[], bounds: readonly number[], share: number): number | null {
  const rank = Math.ceil(share * buckets.reduce((sum, count) => sum + count, 0));
  let before = 0;
  for (const [bucket, count] of buckets.entries()) {
    if (count > 0 && before + count >= rank) {
      const from = bounds[bucket - 1] ?? 0;
      const to = bounds[bucket] ?? from;
      return Math.round(from + ((to - from) * (rank - before)) / count);
    }
    before += count;
  }
  return null;
}
