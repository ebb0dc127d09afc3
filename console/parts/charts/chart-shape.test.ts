import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { axisOf } from "../time-range-shape.ts";
import { drawLine, scaleOf, stackBars, sumsOf, ticksTo, timeTicks } from "./chart-shape.ts";

const HOUR = 3_600_000;

test("ticks are round numbers from nothing to at least the most, few enough to be read", () => {
  assert.deepEqual(ticksTo(0), [0, 1]);
  assert.deepEqual(ticksTo(2), [0, 1, 2]);
  assert.deepEqual(ticksTo(240), [0, 100, 200, 300]);
  assert.deepEqual(ticksTo(416), [0, 200, 400, 600]);
  assert.deepEqual(ticksTo(0.55, { isWhole: false }), [0, 0.2, 0.4, 0.6]);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 31 }), (most) => {
      const ticks = ticksTo(most);
      assert.ok(ticks.at(-1)! >= most && ticks.length >= 2 && ticks.length <= 5, String(ticks));
      assert.ok(ticks.every(Number.isInteger));
    }),
  );
});

test("times of an axis are round in its zone, at most as many as fit, and days are named at midnight", () => {
  const from = Date.parse("2026-11-27T22:10:00Z");
  const texts = (zone: string, to: number, most: number) => timeTicks(from, to, zone, most).map(({ text }) => text);
  assert.deepEqual(texts("UTC", from + 4 * HOUR, 6), ["23:00", "28 Nov", "01:00", "02:00"]);
  assert.deepEqual(texts("Asia/Kolkata", from + 4 * HOUR, 6), ["04:00", "05:00", "06:00", "07:00"]);
  assert.deepEqual(texts("UTC", from + 72 * HOUR, 4), ["28 Nov", "29 Nov", "30 Nov"]);
  // Clocks go back in this night: there are 25 hours between these midnights.
  const autumn = timeTicks(Date.parse("2026-10-24T22:00:00Z"), Date.parse("2026-10-26T23:00:00Z"), "Europe/Berlin", 4);
  assert.deepEqual(
    autumn.map(({ at }) => new Date(at).toISOString()),
    ["2026-10-24T22:00:00.000Z", "2026-10-25T23:00:00.000Z", "2026-10-26T23:00:00.000Z"],
  );
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 400 * 24 * 60 }), fc.integer({ min: 1, max: 20 }), (minutes, most) => {
      assert.ok(timeTicks(from, from + minutes * 60_000, "Europe/Berlin", most).length <= most + 2);
    }),
  );
});

test("a line has a gap where there is no value, and a value that stands alone is a point", () => {
  const times = [0, 1, 2, 3, 4, 5];
  const scale = scaleOf({ left: 0, right: 50, top: 0, bottom: 100 }, 0, 5, 10);
  const { path, points } = drawLine(times, [1, 2, null, 5, null, 10], scale);
  assert.equal(path, "M0 90L10 80M30 50M50 0");
  assert.deepEqual(points, [
    { x: 30, y: 50 },
    { x: 50, y: 0 },
  ]);
  assert.deepEqual(drawLine([], [], scale), { path: "", points: [] });
});

test("the last series stands on the axis, and one among thousands is seen", () => {
  const axis = axisOf(0, 2 * HOUR, "hour", "UTC");
  const scale = scaleOf({ left: 0, right: 20, top: 0, bottom: 100 }, 0, axis.to, 10_000);
  const [found, failed] = stackBars(
    axis,
    [
      [9_999, 0],
      [1, null],
    ],
    scale,
  );
  assert.deepEqual(failed, [{ x: 0, y: 98.5, width: 9, height: 1.5 }, null]);
  assert.equal(found![1], null);
  assert.equal(Math.round((found![0]!.y + found![0]!.height) * 10) / 10, 98.5);
  assert.deepEqual(
    sumsOf(3, [
      [1, null, null],
      [2, 3, null],
    ]),
    [3, 3, null],
  );
});
