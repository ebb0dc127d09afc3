import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { JOURNAL_FILE } from "../journal/journal-database.ts";
import { JournalPruner } from "../journal/journal-pruner.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, runOnce, startLedger } from "../ledger.kit.ts";
import { verifyJournal } from "../read/verify-journal.ts";
import { sumSpend } from "../read/sum-spend.ts";
import { oneRun, watched } from "./sums-of-rows.kit.ts";
import { historyContract } from "../history/history.kit.ts";
import { totalsContract } from "./totals.kit.ts";

for (const contract of [totalsContract, historyContract])
  contract("one machine", async (t) => {
    const { ledger, directory } = await startLedger(t);
    const tables = new JournalTables(directory);
    atEnd(t, () => tables.close());
    const database = new DatabaseSync(join(directory, JOURNAL_FILE), { timeout: 0 });
    atEnd(t, () => database.close());
    return {
      tables,
      verify: () => verifyJournal(directory),
      put: async (runs) => {
        await Promise.all(runs.map(([run, report]) => runOnce(ledger, run, report)));
        await ledger.flush();
      },
      // Like the service's own thread, which checks for requests only once a second.
      prune: async (startedBefore) => {
        const ask = "INSERT INTO prunings (asked_at, started_before, unknown_too) VALUES (0, ?, 1)";
        const pruner = new JournalPruner(database);
        await unlocked(() => database.prepare(ask).run(startedBefore));
        while (await unlocked(() => pruner.step()));
      },
    };
  });

/** Retries while another connection of this test is in a transaction. */
async function unlocked<Result>(work: () => Result): Promise<Result> {
  for (;;) {
    try {
      return work();
    } catch (error) {
      if ((error as Error).message !== "database is locked") throw error;
      await setTimeout(1);
    }
  }
}

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
