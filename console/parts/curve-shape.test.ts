import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { drawLine, quartersBetween, scaleOf, ticksTo } from "./curve-shape.ts";

test("ticks are round numbers from nothing to at least the most, few enough to be read", () => {
  assert.deepEqual(ticksTo(0), [0, 1]);
  assert.deepEqual(ticksTo(2), [0, 1, 2]);
  assert.deepEqual(ticksTo(240), [0, 100, 200, 300]);
  assert.deepEqual(ticksTo(416), [0, 200, 400, 600]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (most) => {
      const ticks = ticksTo(most);
      assert.ok(ticks.at(-1)! >= most && ticks.length >= 2 && ticks.length <= 5, String(ticks));
      assert.ok(ticks.every(Number.isInteger));
    }),
  );
});

test("the quarters of an hour between two moments are named, and no others", () => {
  assert.deepEqual(quartersBetween(100, 3_000), [900, 1_800, 2_700]);
  assert.deepEqual(quartersBetween(900, 900), [900]);
  assert.deepEqual(quartersBetween(901, 902), []);
});

test("a line has a gap where there is no value, and a value that stands alone is a point", () => {
  const times = [0, 1, 2, 3, 4, 5];
  const scale = scaleOf({ left: 0, right: 50, top: 0, bottom: 100 }, times, 10);
  const { path, points } = drawLine(times, [1, 2, null, 5, null, 10], scale);
  assert.equal(path, "M0 90L10 80M30 50M50 0");
  assert.deepEqual(points, [
    { x: 30, y: 50 },
    { x: 50, y: 0 },
  ]);
  assert.deepEqual(drawLine([], [], scale), { path: "", points: [] });
});
