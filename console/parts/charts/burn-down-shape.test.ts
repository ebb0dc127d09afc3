import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf } from "../time-range-shape.ts";
import { burnDown } from "./burn-down-shape.ts";

const DAY = 24 * 3_600_000;
const axis = axisOf(0, 10 * DAY, "day", "UTC");

test("a budget that is used evenly ends on the day that its rate says", () => {
  const { left, forecast, line, endsAt } = burnDown(axis, 100, [15, 15, 15, null], 3 * DAY - 1);
  assert.deepEqual(left.slice(0, 4), [85, 70, 55, null]);
  assert.deepEqual(
    forecast.map((amount) => amount && Math.round(amount)),
    [null, null, 55, 40, 25, 10, 0, 0, 0, 0],
  );
  assert.equal(endsAt, 6);
  assert.deepEqual(
    line.map(({ at, amount }) => [Math.round((10 * at) / DAY) / 10, amount]),
    [
      [3, 55],
      [6.7, 0],
    ],
  );
});

test("a current step counts by the part that has passed, and what is used up has no forecast", () => {
  assert.equal(burnDown(axis, 100, [10], DAY / 2).endsAt, 4);
  assert.equal(burnDown(axis, 100, [], DAY).endsAt, null);
  assert.deepEqual(burnDown(axis, 100, [], DAY).line.at(-1), { at: 10 * DAY, amount: 100 });
  assert.equal(burnDown(axis, 10, [4, 8, 1], 3 * DAY - 1).endsAt, 1);
  assert.deepEqual(burnDown(axis, 10, [4, 8, 1], 3 * DAY - 1).line, []);
  assert.deepEqual(burnDown(axis, 10, [4], -1).forecast.filter(Boolean), []);
});
