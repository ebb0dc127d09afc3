import assert from "node:assert/strict";
import { test } from "node:test";
import type { AttemptRow, ReconciliationRow, RunReportRow } from "../ports.ts";
import { revisionOf, settledSince } from "./settled-since.ts";

type Cost = readonly [charged: AttemptRow["charged"], price: number | null];

const inEuros = ([charged, price]: Cost) => ({ charged, price, currency: price === null ? null : "EUR" });

/** A call 0 with its requests as they are now, and the decisions on them, by number of the request, in order. */
function settledRun(
  now: readonly Cost[],
  decisions: readonly (readonly [number, string, ...Cost])[],
): Pick<RunReportRow, "attempts" | "reconciliations"> {
  const attempts = now.map((cost, at) => ({ ordinal: 0, number: at + 1, sent_at: 10 + at, ...inEuros(cost) }));
  const reconciliations = decisions.map(([attempt, by, ...cost], at) => {
    const decided_at = by === "datarun" ? 9 + attempt : 99;
    return { ordinal: 0, revision: at + 1, attempt, decided_by: by, decided_at, note: "", ...inEuros(cost) };
  });
  return {
    attempts: attempts as unknown as AttemptRow[],
    reconciliations: reconciliations as unknown as ReconciliationRow[],
  };
}

/** One request was recorded as charged, and one as unknown with an unchanged price. */
const RUN = settledRun(
  [
    ["yes", 30],
    ["no", 20],
    ["yes", 5],
  ],
  [
    [1, "datarun", "yes", 10],
    [1, "ada", "no", 10],
    [2, "ada", "no", 20],
    [1, "ada", "yes", 30],
  ],
);

test("charges settled after a revision are returned with their value then and now, whatever was settled between", () => {
  assert.equal(revisionOf(RUN, 0), 4);
  assert.equal(revisionOf(RUN, 1), 0);
  const since = (revision: number) =>
    settledSince(RUN, 0, revision).map(({ sentAt, before, after }) => [sentAt, before, after]);
  const first = [10, inEuros(["yes", 10]), inEuros(["yes", 30])];
  const second = [11, inEuros(["unknown", 20]), inEuros(["no", 20])];
  assert.deepEqual(since(0), [first, second]);
  assert.deepEqual(since(1), [first, second]);
  assert.deepEqual(since(2), [[10, inEuros(["no", 10]), inEuros(["yes", 30])], second]);
  assert.deepEqual(since(3), [[10, inEuros(["no", 10]), inEuros(["yes", 30])]]);
  assert.deepEqual(since(4), []);
  assert.deepEqual(settledSince(RUN, 1, 0), []);
});
