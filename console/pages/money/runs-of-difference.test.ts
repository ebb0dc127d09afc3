import assert from "node:assert/strict";
import { test } from "node:test";
import { runsOfDifference } from "./runs-of-difference.ts";

const about = { month: "2026-03", org: "org_1", source: undefined };

test("a difference leads to the very runs where they are known, and else to those of its day or month", () => {
  const one = (label: string, id: string) => ({ label, path: `/runs/${id}` });
  assert.deepEqual(runsOfDifference({ transaction: "trx_1" }, about), [one("The run", "trx_1")]);
  assert.deepEqual(runsOfDifference({ runs: ["trx_1"] }, about), [one("The run", "trx_1")]);
  assert.deepEqual(runsOfDifference({ runs: ["trx_1", "trx_2"] }, about), [
    one("The first run", "trx_1"),
    one("The last run", "trx_2"),
  ]);
  const month = { from: "2026-03-01", to: "2026-04-01", org: "org_1", source: undefined };
  // A transaction id from the invoice that is not an id of datarun.
  for (const unknown of [{}, { transaction: "<img>" }, { transaction: null, runs: [] }])
    assert.deepEqual(runsOfDifference(unknown, about), [{ label: "Runs of the month", path: "/runs", query: month }]);
  assert.deepEqual(runsOfDifference({ day: "2026-03-31" }, about), [
    { label: "Runs of the day", path: "/runs", query: { ...month, from: "2026-03-31" } },
  ]);
});
