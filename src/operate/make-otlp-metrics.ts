import { nanoseconds } from "./make-spans.ts";
import type { Distribution, OpenMetric } from "./metric.ts";

/** From OTLP's enumeration of temporalities. */
const CUMULATIVE = 2;

/** Current values in the JSON form of OTLP. Times (in nanoseconds) and counts have 64 bits and are texts. */
export function makeOtlpMetrics(
  metrics: readonly OpenMetric[],
  startedWallAt: number,
  wallAt: number,
): readonly object[] {
  const timeUnixNano = nanoseconds(wallAt);
  const since = { startTimeUnixNano: nanoseconds(startedWallAt), timeUnixNano };
  return metrics.flatMap(({ name, help, type, labels, read }): readonly object[] => {
    const dataPoints = read()
      // JSON has no infinite numbers.
      .filter(([, value]) => typeof value !== "number" || Number.isFinite(value))
      .map(([values, value]) => ({
        attributes: labels.map((key, at) => ({ key, value: { stringValue: values[at] ?? "" } })),
        ...(type === "gauge" ? { timeUnixNano } : since),
        ...(typeof value === "number" ? { asDouble: value } : histogramPoint(value)),
      }));
    if (dataPoints.length === 0) return [];
    const about = { name, description: help };
    if (type === "gauge") return [{ ...about, gauge: { dataPoints } }];
    const data = { aggregationTemporality: CUMULATIVE, dataPoints };
    return [type === "counter" ? { ...about, sum: { ...data, isMonotonic: true } } : { ...about, histogram: data }];
  });
}

function histogramPoint({ bounds, buckets, sum }: Distribution): object {
  const counts = Array.from(buckets);
  return {
    count: String(counts.reduce((total, count) => total + count, 0)),
    sum,
    bucketCounts: counts.map(String),
    explicitBounds: bounds,
  };
}
