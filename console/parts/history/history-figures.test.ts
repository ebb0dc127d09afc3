import assert from "node:assert/strict";
import { test } from "node:test";
import type { History } from "../../api/use-history.ts";
import { axisOf } from "../time-range-shape.ts";
import { failureHeat, slownessHeat } from "./heat-figures.ts";
import { outcomeSeries, percentileSeries, seriesByGroup, together } from "./history-figures.ts";

const HOUR = 3_600_000;
const START = Date.parse("2026-11-28T00:00:00Z");
const axis = axisOf(START, START + 5 * HOUR, "hour", "UTC");
type Point = History["groups"][number]["points"][number];

/** Calls of an hour: so many found, failed, and rejected, all in one bucket of the histogram. */
function point(hour: number, match: number, failed = 0, rejected = 0, bucket = 0): Point {
  return {
    at: new Date(START + hour * HOUR).toISOString(),
    calls: match + failed + rejected,
    match,
    no_match: 0,
    failed: failed === 0 ? {} : { "source.timeout": failed },
    rejected: rejected === 0 ? {} : { "source.budget_used": rejected },
    no_credential: 0,
    unknown: 0,
    durations: [...Array.from({ length: bucket }, () => 0), match + failed],
    timed: match + failed,
    sum_ms: 0,
    costs: [],
    unpriced: 0,
  };
}

function history(...groups: readonly (readonly Point[])[]): History {
  return {
    from: "",
    to: "",
    step: "hour",
    complete_from: "2026-11-28T01:30:00Z",
    histogram_bounds_ms: [100, 200, 1_000],
    groups: groups.map((points, at) => ({
      key: `source_${at}`,
      points: [...points],
      total: { ...point(0, 0), p50_ms: null, p95_ms: null, p99_ms: null },
    })),
    more_groups: 0,
  };
}

test("before the ledger begins and in the time to come figures are unknown, between them zero", () => {
  const series = outcomeSeries(axis, history([point(2, 7, 2, 1)]), { unit: "calls", now: START + 3.5 * HOUR });
  const values = Object.fromEntries(series.map(({ label, values: all }) => [label, all]));
  assert.deepEqual(values, {
    found: [null, 0, 7, 0, null],
    "no record": [null, 0, 0, 0, null],
    "rejected by datarun": [null, 0, 1, 0, null],
    failed: [null, 0, 2, 0, null],
  });
  const [p50] = percentileSeries(axis, history([point(2, 7)]), START + 4 * HOUR);
  assert.deepEqual(p50!.values, [null, null, 57, null, null]);
});

test("groups are added step by step, and those after the seventh are one series", () => {
  const sum = together(history([point(2, 1, 1)], [point(2, 2), point(3, 4)]));
  assert.deepEqual(
    sum.groups.map(({ points }) => points.map(({ match, failed, timed }) => [match, failed, timed])),
    [
      [
        [3, { "source.timeout": 1 }, 4],
        [4, {}, 4],
      ],
    ],
  );
  const many = history(...Array.from({ length: 9 }, () => [point(2, 1)]));
  const series = seriesByGroup(axis, many, START + 4.5 * HOUR, ({ key }) => key);
  assert.equal(series.length, 8);
  assert.deepEqual([series[7]!.label, series[7]!.values[2]], ["others", 2]);
});

test("a heat map shows the failed part of what was tried, and how much slower than usual a step was", () => {
  const points = [point(0, 10), point(1, 95, 5), point(2, 1, 9), point(3, 0, 0, 5)];
  const [group] = history(points).groups;
  assert.deepEqual(failureHeat(axis, group!).levels, [0, 3, 5, null, null]);
  assert.equal(failureHeat(axis, group!).texts[1], "5 of 100 failed");
  const slow = history([point(0, 9), point(1, 9), point(2, 9), point(3, 9, 0, 0, 2)]).groups[0]!;
  assert.deepEqual(slownessHeat(axis, slow, [100, 200, 1_000]).levels, [0, 0, 0, 5, null]);
});
