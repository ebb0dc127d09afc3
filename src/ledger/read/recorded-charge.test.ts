import assert from "node:assert/strict";
import { appendFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { newId } from "../../terms/ids.ts";
import { intentFileName } from "../journal/intent-files.ts";
import { attemptIntentText, runIntentText } from "../journal/record-lines.ts";
import {
  atEnd,
  makeCall,
  makeDirectory,
  makeIntent,
  makeReport,
  makeRun,
  runOnce,
  startLedger,
} from "../ledger.kit.ts";
import { openJournalReader, type JournalReader } from "./journal-reader.ts";
import { chargeAfterDeath } from "./recorded-charge.ts";

function readerOf(t: TestContext, directory: string): JournalReader {
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  return reader;
}

test("a request without an intent was not sent, and one with an intent and no outcome may have been", async (t) => {
  const directory = makeDirectory(t);
  const [ended, died, unsent] = [makeRun(), makeRun(), makeRun()];
  const before = await startLedger(t, { directory });
  await runOnce(before.ledger, ended, makeReport(ended, { calls: [makeCall({ charged: "no" })] }));
  await before.ledger.close();
  writeFileSync(
    join(directory, intentFileName(7)),
    runIntentText(died) + attemptIntentText(died.transactionId, makeIntent()),
  );

  await startLedger(t, { directory });

  const reader = readerOf(t, directory);
  const said = (run: { transactionId: string }, request: string) =>
    chargeAfterDeath(reader, `${run.transactionId}/${request}`);
  assert.equal(await said(ended, "0/1"), "yes");
  assert.equal(await said(died, "0/1"), "unknown");
  assert.equal(await said(unsent, "0/1"), "no");
  assert.equal(await said(died, "0/2"), "no", "the second of a run whose first was sent");
  assert.equal(await said(died, "1/1"), "no");
  assert.equal(await said({ transactionId: "trx_1" }, "0/1"), null, "nobody can say when it began");
});

test("a request of which nothing is there may have been sent if intents could not be read since it began", async (t) => {
  const directory = makeDirectory(t);
  await (await startLedger(t, { directory })).ledger.close();
  const lost = makeRun();
  appendFileSync(join(directory, intentFileName(7)), `["attempt","${lost.transactionId}",0,1]\n`);

  // Later starts still have it.
  for (let starts = 0; starts < 2; starts += 1) await (await startLedger(t, { directory })).ledger.close();

  const reader = readerOf(t, directory);
  assert.equal(await chargeAfterDeath(reader, `${lost.transactionId}/0/1`), null);
  const later = newId("transaction", Date.now() + 60_000);
  assert.equal(await chargeAfterDeath(reader, `${later}/0/1`), "no");
});

test("a request of which nothing is there may have been sent if runs that began later were deleted", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const old = makeRun({ startedWallAt: Date.now() - 3_600_000 });
  await runOnce(ledger, old);
  await ledger.flush();
  const reader = readerOf(t, directory);
  assert.equal((await reader.prune(Date.now() - 1_800_000)).deleted, 1);
  for (const [agoMs, said] of [
    [7_200_000, null],
    [1_200_000, "no"],
  ] as const)
    assert.equal(await chargeAfterDeath(reader, `${newId("transaction", Date.now() - agoMs)}/0/1`), said);
});
