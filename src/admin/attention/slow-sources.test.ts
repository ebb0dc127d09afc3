import assert from "node:assert/strict";
import { test } from "node:test";
import { addDurations, noFigures } from "../../ledger/history/figures.ts";
import type { HistoryFilter } from "../../ledger/history/sum-history.ts";
import { findSlowSources } from "./slow-sources.ts";

const NOON = Date.UTC(2026, 2, 10, 12, 30);
const [MS_100, MS_150, MS_300] = [11, 12, 14];

/** A ledger in which a source has so many calls, all in one bucket of durations, lately and usually. */
function ledgerOf(lately: readonly [number, number], usually: readonly [number, number]) {
  const asked: HistoryFilter[] = [];
  const history = async (filter: HistoryFilter) => {
    asked.push(filter);
    const total = noFigures();
    addDurations(total, ...(filter.step === "hour" ? lately : usually));
    return { completeFrom: 0, groups: [{ key: "acme__people", points: [], total }], moreGroups: 0 };
  };
  return { asked, history };
}

test("a source is slow whose last hours took twice as long as the weeks before", async () => {
  const ledger = ledgerOf([MS_300, 50], [MS_100, 500]);
  assert.deepEqual(await findSlowSources(ledger, NOON), [{ source: "acme__people", p95Ms: 296, usualP95Ms: 99 }]);
  assert.deepEqual(
    ledger.asked.map(({ step, from, to }) => [step, (NOON - from) / 3_600_000, (NOON - to) / 3_600_000]),
    [
      ["hour", 4.5, 0.5],
      ["day", 28 * 24 + 12.5, 12.5],
    ],
  );
});

test("few calls, and a little more time, make no source slow", async () => {
  assert.deepEqual(await findSlowSources(ledgerOf([MS_300, 49], [MS_100, 500]), NOON), []);
  assert.deepEqual(await findSlowSources(ledgerOf([MS_300, 50], [MS_100, 499]), NOON), []);
  assert.deepEqual(await findSlowSources(ledgerOf([MS_150, 50], [MS_100, 500]), NOON), []);
  assert.deepEqual(await findSlowSources(ledgerOf([5, 50], [0, 500]), NOON), []);
});
