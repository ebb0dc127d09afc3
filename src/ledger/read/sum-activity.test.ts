import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../terms/fault.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, makeCall, makeReport, makeRun, runOnce, startLedger } from "../ledger.kit.ts";
import { createLedgerReader, type LedgerAnswers } from "./ledger-reader.ts";
import { explained } from "./plans-of-lists.kit.ts";

const overBudget = makeCall({
  ordinal: 2,
  success: false,
  match: false,
  fault: new Fault("source.budget_used", { budget: "bud_1" }),
  charged: "no",
  attempts: [],
});
const HOUR = { from: Date.now() - 3_600_000, to: Date.now() + 3_600_000 };
const QUESTIONS: readonly ((reader: LedgerAnswers) => Promise<unknown>)[] = [
  (reader) => reader.activity({ by: "source", ...HOUR }),
  (reader) => reader.activity({ by: "credential", ...HOUR, source: "acme__people" }),
  (reader) => reader.functionActivity({ functions: ["dfunc_sum", "dfunc_other"], ...HOUR }),
  (reader) => reader.countUnknown(),
  (reader) => reader.budgetRejections([{ budgetId: "bud_1", from: HOUR.from }]),
];

test("neither activity nor the counts of unknown charges and of rejected calls look through a table of the journal", async (t) => {
  const { ledger, directory } = await startLedger(t);
  for (let count = 0; count < 3; count += 1) {
    const run = makeRun();
    await runOnce(
      ledger,
      run,
      makeReport(run, { calls: [makeCall(), makeCall({ ordinal: 1, charged: "unknown" }), overBudget] }),
    );
  }
  await ledger.flush();
  const tables = new JournalTables(directory);
  atEnd(t, () => tables.close());
  const { plans, tables: heard } = explained(tables, "EXPLAIN QUERY PLAN");
  for (const ask of QUESTIONS) await ask(createLedgerReader(heard));
  assert.ok(plans.length >= 5);
  for (const plan of plans) {
    const looksThrough = plan
      .split("\n")
      .filter((line) => /^SCAN (?!(?:u|s|CONSTANT ROW)$)/.test(line) && !line.includes("USING"));
    assert.deepEqual(looksThrough, [], plan);
    assert.doesNotMatch(plan, /AUTOMATIC|TEMP B-TREE FOR ORDER BY/, plan);
  }
});
