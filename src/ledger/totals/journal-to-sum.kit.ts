/** The ledger of one machine, for the contracts of totals. */
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { setTimeout } from "node:timers/promises";
import { JOURNAL_FILE } from "../journal/journal-file.ts";
import { JournalPruner } from "../journal/journal-pruner.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, runOnce, startLedger } from "../ledger.kit.ts";
import { verifyJournal } from "../read/verify-journal.ts";
import type { LedgerToSum } from "./totals.kit.ts";

export async function newJournalToSum(t: TestContext): Promise<LedgerToSum> {
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
}

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
