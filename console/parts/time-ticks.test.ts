import assert from "node:assert/strict";
import { test } from "node:test";
import { tickText, ticksOf } from "./time-ticks.ts";

test("an axis has its lines at round times", () => {
  assert.deepEqual(ticksOf(480), [0, 100, 200, 300, 400]);
  assert.deepEqual(ticksOf(60_000), [0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  assert.deepEqual(ticksOf(7), [0, 2, 4, 6]);
  assert.deepEqual(ticksOf(0), [0]);
  assert.deepEqual([250, 1_000, 1_500, 20_000].map(tickText), ["250 ms", "1 s", "1.5 s", "20 s"]);
});
