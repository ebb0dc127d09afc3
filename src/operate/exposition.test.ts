import assert from "node:assert/strict";
import { test } from "node:test";
import { writeExposition } from "./exposition.ts";
import type { OpenMetric } from "./metric.ts";

function metric(type: OpenMetric["type"], name: string, labels: string[], read: OpenMetric["read"]): OpenMetric {
  return { name, type, help: "Help.", labels, read };
}

test("samples, labels and help are written in the text format, and what the format reserves is escaped", () => {
  const page = writeExposition([
    { ...metric("gauge", "one", [], () => [[[], 1.5]]), help: 'With a \\, a "quote" and\na line' },
    metric("counter", "calls_total", ["source", "outcome"], () => [
      [['back\\slash "quote"\nline', "match"], 3],
      [["acme__people", ""], 1e21],
    ]),
    metric("gauge", "none", ["a"], () => []),
    metric("gauge", "odd", ["is"], () => [
      [["large"], Infinity],
      [["small"], -Infinity],
      [["unknown"], NaN],
    ]),
  ]);
  assert.equal(
    page,
    String.raw`# HELP one With a \\, a "quote" and\na line
# TYPE one gauge
one 1.5
# HELP calls_total Help.
# TYPE calls_total counter
calls_total{source="back\\slash \"quote\"\nline",outcome="match"} 3
calls_total{source="acme__people",outcome=""} 1e+21
# HELP none Help.
# TYPE none gauge
# HELP odd Help.
# TYPE odd gauge
odd{is="large"} +Inf
odd{is="small"} -Inf
odd{is="unknown"} NaN
`,
  );
});

test("buckets are cumulative and end with all observations", () => {
  const distribution = { bounds: [0.5, 1], buckets: [1, 0, 2], sum: 7.25 };
  const page = writeExposition([
    metric("histogram", "run_seconds", [], () => [[[], distribution]]),
    metric("histogram", "source_seconds", ["source"], () => [[["a"], distribution]]),
  ]);
  const samples = page.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(samples, [
    'run_seconds_bucket{le="0.5"} 1',
    'run_seconds_bucket{le="1"} 1',
    'run_seconds_bucket{le="+Inf"} 3',
    "run_seconds_sum 7.25",
    "run_seconds_count 3",
    'source_seconds_bucket{source="a",le="0.5"} 1',
    'source_seconds_bucket{source="a",le="1"} 1',
    'source_seconds_bucket{source="a",le="+Inf"} 3',
    'source_seconds_sum{source="a"} 7.25',
    'source_seconds_count{source="a"} 3',
  ]);
});
