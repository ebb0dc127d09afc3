import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTick } from "node:timers/promises";
import type { Distribution, OpenMetric } from "./metric.ts";
import { openProcessMetrics } from "./process-metrics.ts";

/** The names of `prom-client`, which public dashboards and rules for Node read. */
const EXPECTED = [
  "process_cpu_user_seconds_total",
  "process_cpu_system_seconds_total",
  "process_cpu_seconds_total",
  "process_start_time_seconds",
  "process_resident_memory_bytes",
  ...(process.platform === "linux"
    ? ["process_virtual_memory_bytes", "process_heap_bytes", "process_open_fds", "process_max_fds"]
    : []),
  "nodejs_eventloop_lag_seconds",
  "nodejs_eventloop_lag_min_seconds",
  "nodejs_eventloop_lag_max_seconds",
  "nodejs_eventloop_lag_mean_seconds",
  "nodejs_eventloop_lag_stddev_seconds",
  "nodejs_eventloop_lag_p50_seconds",
  "nodejs_eventloop_lag_p90_seconds",
  "nodejs_eventloop_lag_p99_seconds",
  "nodejs_active_resources",
  "nodejs_active_resources_total",
  "nodejs_heap_size_total_bytes",
  "nodejs_heap_size_used_bytes",
  "nodejs_external_memory_bytes",
  "nodejs_heap_space_size_total_bytes",
  "nodejs_heap_space_size_used_bytes",
  "nodejs_heap_space_size_available_bytes",
  "nodejs_version_info",
  "nodejs_gc_duration_seconds",
];

function readAll(metrics: readonly OpenMetric[]): ReadonlyMap<string, ReturnType<OpenMetric["read"]>> {
  return new Map(metrics.map(({ name, read }) => [name, read()]));
}

test("the process has the standard metrics, each with a number, from the first reading on", () => {
  using opened = openProcessMetrics();
  assert.deepEqual(
    opened.metrics.map(({ name }) => name),
    EXPECTED,
  );
  for (const reading of [readAll(opened.metrics), readAll(opened.metrics)])
    for (const [name, samples] of reading)
      for (const [, value] of samples) {
        if (typeof value !== "number") continue;
        assert.ok(value >= 0 && value < 1e15, `${name} ${value}`);
      }
  const values = readAll(opened.metrics);
  const value = (name: string) => values.get(name)![0]![1] as number;
  assert.ok(value("process_resident_memory_bytes") > 10e6);
  assert.ok(Math.abs(value("process_start_time_seconds") - (Date.now() / 1000 - process.uptime())) < 5);
  assert.deepEqual(values.get("nodejs_version_info")![0]![0].slice(0, 1), [process.version]);
});

test("a garbage collection is counted in the bucket of its time", async () => {
  using opened = openProcessMetrics();
  const collections = (): number =>
    opened.metrics
      .at(-1)!
      .read()
      .reduce((sum, [, value]) => sum + (value as Distribution).buckets[0]!, 0);
  const kept: object[] = [];
  while (collections() === 0) {
    for (let count = 0; count < 10_000; count += 1) kept[count % 100] = { count: [count] };
    await nextTick();
  }
});
