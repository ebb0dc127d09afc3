import assert from "node:assert/strict";
import test from "node:test";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, runOnce, startLedger } from "../ledger.kit.ts";
import { sumSpend } from "../read/sum-spend.ts";
import { newJournalToSum } from "./journal-to-sum.kit.ts";
import { oneRun, watched } from "./sums-of-rows.kit.ts";
import { totalsContract } from "./totals.kit.ts";

totalsContract("one machine", newJournalToSum);

test("a sum of the journal is read from totals and indexes", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const DAY = 24 * 60 * 60 * 1_000;
  const from = Date.UTC(2026, 2, 1);
  for (const at of [0, 1, 2]) await runOnce(ledger, ...oneRun(from + at * DAY));
  await ledger.flush();
  const tables = new JournalTables(directory);
  atEnd(t, () => tables.close());
  const filter = { from, to: from + 31 * DAY, organizationId: "org_a", credentialId: "cred_a" };
  await sumSpend(tables, "source", filter);
  const plans: string[] = [];
  const explained = watched(tables, async (sql, values, isInChange) => {
    if (isInChange || sql === "BEGIN") return assert.fail("nothing is left to be made");
    const steps = await tables.query<{ readonly detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, values);
    plans.push(steps.map(({ detail }) => detail).join("\n"));
  });
  await sumSpend(explained, "source", filter);
  assert.ok(
    plans.some((plan) => /SEARCH x USING PRIMARY KEY \(span=\?/.test(plan)),
    plans.join("\n\n"),
  );
  for (const plan of plans) {
    const lines = plan.split("\n").filter((line) => /^(?:SCAN|SEARCH) [rcatx] /.test(line));
    const allowed = /^SEARCH (?:r .*runs_by_time|[ca] USING PRIMARY KEY \(run=|t USING|x USING PRIMARY KEY)/;
    assert.deepEqual(
      lines.filter((line) => !allowed.test(line)),
      [],
      plan,
    );
    assert.doesNotMatch(plan, /AUTOMATIC/, plan);
  }
});
