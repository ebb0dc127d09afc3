import assert from "node:assert/strict";
import test from "node:test";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, makeCall, makeReport, makeRun, runOnce, startLedger } from "../ledger.kit.ts";
import { openJournalReader } from "./journal-reader.ts";
import { lastUses } from "./last-uses.ts";
import { explained } from "./plans-of-lists.kit.ts";

test("the last use of a credential is the start of the newest run that took it, in any organization", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const use = async (credentialId: string | null, startedWallAt: number) => {
    const run = makeRun({ startedWallAt, organizationId: `org_${credentialId}` });
    await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ credentialId, credentialRule: "auto" })] }));
  };
  // Recorded out of order, as concurrent runs end.
  for (const [credentialId, at] of [
    ["cred_a", 3_000],
    ["cred_b", 4_000],
    ["cred_a", 1_000],
    [null, 9_000],
  ] as const)
    await use(credentialId, at);
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const asked = ["cred_b", "cred_never", "cred_a", ...Array.from({ length: 250 }, (_, at) => `cred_${at}`)];
  assert.deepEqual(await reader.lastUses(asked), [
    { credentialId: "cred_b", wallAt: 4_000 },
    { credentialId: "cred_a", wallAt: 3_000 },
  ]);
  assert.deepEqual(await reader.lastUses([]), []);
});

test("the last use is read from an index of the journal, in its order", async (t) => {
  const { ledger, directory } = await startLedger(t);
  await runOnce(ledger);
  const tables = new JournalTables(directory);
  atEnd(t, () => tables.close());
  const { plans, tables: heard } = explained(tables, "EXPLAIN QUERY PLAN");
  await lastUses(heard, ["cred_a", "cred_b"]);
  assert.match(plans.join(), /calls_of_credential/);
  assert.doesNotMatch(plans.join(), /SCAN (?!CONSTANT)|AUTOMATIC|TEMP B-TREE/, plans.join("\n"));
});
