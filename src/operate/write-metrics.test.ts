import assert from "node:assert/strict";
import { test } from "node:test";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Stretch } from "../terms/stretch.ts";
import { writeMetrics } from "./write-metrics.ts";

test("metrics are written as the library writes them, and others have turns meanwhile", async () => {
  const registry = new Registry();
  registry.registerMetric(new Gauge({ name: "none", help: "Without a value", labelNames: ["a"], registers: [] }));
  new Gauge({ name: "one", help: "With \\ and\nlines", registers: [registry] }).set(1.5);
  const calls = new Counter({ name: "calls", help: "H", labelNames: ["source"], registers: [registry] });
  const times = new Histogram({
    name: "times",
    help: "H",
    labelNames: ["source"],
    buckets: [1, 2],
    registers: [registry],
  });
  for (let at = 0; at < 2_000; at += 1) {
    calls.inc({ source: `a"${at}\n` }, at);
    times.observe({ source: `a"${at}` }, at % 3);
  }
  let turns = 0;
  const everyTurn = { isLong: true, end: async () => void (turns += 1) } as unknown as Stretch;
  assert.equal(await writeMetrics(registry, everyTurn), await registry.metrics());
  assert.equal(turns, 1 + 1 + 2 + 10);
});
