import assert from "node:assert/strict";
import test from "node:test";
import { Fault } from "../../terms/fault.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, makeCall, makeReport, makeRun, query, runOnce, startLedger } from "../ledger.kit.ts";
import { openJournalReader } from "./journal-reader.ts";
import { combinationsOfFilters, plansOf } from "./plans-of-lists.kit.ts";
import { renderTimeline } from "./render-timeline.ts";

test("no combination of filters makes a list of the journal scan a table", async (t) => {
  const { ledger, directory } = await startLedger(t);
  await runOnce(
    ledger,
    makeRun({ organizationId: "org_1", workflowId: "wfl_1", kind: "func", functionId: "dfunc_odd" }),
  );
  const tables = new JournalTables(directory);
  atEnd(t, () => tables.close());
  for (const filter of combinationsOfFilters()) {
    for (const plan of await plansOf(tables, filter, "EXPLAIN QUERY PLAN")) {
      const looksThrough = plan
        .split("\n")
        .filter((line) => /^SCAN (?!counted$)/.test(line) && !line.includes("USING"));
      assert.deepEqual(looksThrough, [], JSON.stringify(filter));
      assert.doesNotMatch(plan, /AUTOMATIC|TEMP B-TREE FOR ORDER BY/, JSON.stringify(filter));
    }
  }
});

test("a run that called one source several times is listed once, and takes one place on a page", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const ids: string[] = [];
  for (let second = 0; second < 5; second += 1) {
    const run = makeRun({ startedWallAt: 1_000 * (second + 1) });
    ids.unshift(run.transactionId);
    const calls = [0, 1, 2].map((ordinal) => makeCall({ ordinal, attempts: [] }));
    await runOnce(ledger, run, makeReport(run, { calls }));
  }
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const first = await reader.list({ source: "acme__people" }, { limit: 3 });
  const second = await reader.list({ source: "acme__people" }, { limit: 3, after: first.next! });
  const listed = [...first.runs, ...second.runs].map((run) => run.transaction_id);
  assert.deepEqual(listed, ids);
  assert.equal(second.next, null);
});

test("ids of no source have no rows: their run records how many there were, and names a few", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun();
  const unknown = Array.from({ length: 99 }, (_, at) =>
    makeCall({
      source: `misspelt_${at}_${"x".repeat(100)}`,
      ordinal: at + 1,
      success: false,
      match: false,
      fault: new Fault("source.unknown"),
      charged: "no",
      attempts: [],
    }),
  );
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall(), ...unknown] }));
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const row = await reader.show(run.transactionId);
  assert.equal(row?.calls.length, 1);
  assert.equal(row.run.unknown_sources, 99);
  const names = JSON.parse(row.run.unknown_source_names ?? "[]") as string[];
  assert.equal(names.length, 3);
  assert.match(names[0]!, /^misspelt_0_x{37}…$/);
  assert.match(
    renderTimeline(row),
    /unknown +99 ids of no source: misspelt_0_x+…, misspelt_1_x+…, misspelt_2_x+… and 96 more/,
  );
  assert.equal(query(directory, "SELECT 1 FROM names WHERE name LIKE 'misspelt%'").length, 0);
});
