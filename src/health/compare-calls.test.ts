import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf, findCallShifts } from "./compare-calls.ts";
import type { EndedCalls } from "./ports.ts";

const percentileMs = (durations: readonly number[], share: number): number | null => {
  const rank = Math.ceil(share * durations.reduce((sum, one) => sum + one, 0));
  let before = 0;
  const bucket = durations.findIndex((count) => (before += count) >= rank && rank > 0);
  return bucket < 0 ? null : [50, 100, 400, 2_000][bucket]!;
};
const day = (parts: Partial<EndedCalls>, at = 0): EndedCalls => ({
  at,
  match: 800,
  noMatch: 200,
  failed: 5,
  durations: [500, 480, 25],
  ...parts,
});
const DAYS = Array.from({ length: 28 }, (_, at) => day({ match: 800 + (at % 3), noMatch: 200 - (at % 3) }, at));
const shifts = (now: Partial<EndedCalls>, days = DAYS) => findCallShifts([day(now)], days, percentileMs);

test("a usual day is silent", () => {
  assert.deepEqual(shifts({}), []);
  assert.deepEqual(shifts({ match: 770, noMatch: 230, failed: 12, durations: [450, 500, 45] }), []);
});

test("a shifted match rate, more failures and slower calls are reported, in few calls too", () => {
  assert.deepEqual(shifts({ match: 700, noMatch: 300 }), ["match_rate"]);
  assert.deepEqual(shifts({ match: 30, noMatch: 70, failed: 0, durations: [] }), ["match_rate"]);
  assert.deepEqual(shifts({ failed: 60 }), ["failure_rate"]);
  assert.deepEqual(shifts({ match: 0, noMatch: 0, failed: 1_000 }), ["failure_rate"]);
  assert.deepEqual(shifts({ durations: [400, 400, 150] }), ["latency"]);
  assert.deepEqual(shifts({ durations: [0, 0, 20] }), []);
  assert.deepEqual(shifts({ match: 3, noMatch: 7 }), []);
});

test("a rate that varies from day to day is compared with its variation", () => {
  const varying = Array.from({ length: 28 }, (_, at) =>
    day(at % 2 === 0 ? { match: 900, noMatch: 100 } : { match: 700, noMatch: 300 }, at),
  );
  assert.deepEqual(shifts({ match: 680, noMatch: 320 }, varying), []);
  assert.deepEqual(shifts({ match: 100, noMatch: 900 }, varying), ["match_rate"]);
});

test("without earlier calls nothing is reported, and figures are unknown", () => {
  assert.deepEqual(shifts({ match: 0, noMatch: 1_000 }, []), []);
  assert.deepEqual(figuresOf([], percentileMs), {
    calls: 0,
    matchRate: null,
    failureRate: null,
    p50Ms: null,
    p95Ms: null,
    p99Ms: null,
  });
  const { matchRate, failureRate, p95Ms } = figuresOf([day({}), day({ failed: 15 })], percentileMs);
  assert.deepEqual([matchRate, failureRate, p95Ms], [0.8, 20 / 2_020, 100]);
});
