import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import test, { type TestContext } from "node:test";
import { openJournalReader } from "./journal-reader.ts";
import { ledgerActivityContract } from "./ledger-activity.kit.ts";
import { ledgerMoneyContract } from "./ledger-money.kit.ts";
import { ledgerReaderContract, type LedgerToRead } from "./ledger-reader.kit.ts";
import { settledChargesContract } from "./settled-charges.kit.ts";
import { atEnd, makeDirectory, runOnce, startLedger } from "../ledger.kit.ts";

async function newLedger(t: TestContext): Promise<LedgerToRead> {
  const { ledger, directory } = await startLedger(t);
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  return {
    put: async (run, report) => {
      await runOnce(ledger, run, report);
      // Deletion reads the journal only, and an outcome is first in the log alone.
      await ledger.flush();
    },
    reader,
  };
}

ledgerReaderContract("one machine", newLedger);
settledChargesContract("one machine", newLedger);
ledgerMoneyContract("one machine", newLedger);
ledgerActivityContract("one machine", newLedger);

test("a directory without a ledger is reported as such, and a reader creates none there", (t) => {
  const directory = makeDirectory(t);
  assert.throws(() => openJournalReader({ dir: directory }), /There is no ledger/);
  assert.throws(() => openJournalReader({ dir: directory }), /There is no ledger/);
});

test("an export sees what is only in the log, and only its first page has to look there", async (t) => {
  const { ledger, directory, setFault } = await startLedger(t);
  await runOnce(ledger);
  await ledger.flush();
  setFault("commit", "hang");
  await runOnce(ledger);
  const died = join(makeDirectory(t), "died");
  cpSync(directory, died, { recursive: true, filter: (path) => !path.endsWith("service.lock") });
  const reader = openJournalReader({ dir: died });
  atEnd(t, () => reader.close());
  assert.equal((await reader.exportPage({}, "jsonl", [0, ""])).runs, 1);
  assert.equal((await reader.exportPage({}, "jsonl", null)).runs, 2);
});
