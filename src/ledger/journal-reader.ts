import { OperatorError } from "../terms/operator-error.ts";
import { JournalTables } from "./journal-tables.ts";
import { pruneJournal } from "./prune-journal.ts";
import { createLedgerReader, type LedgerReader } from "./ledger-reader.ts";

export interface JournalReader extends LedgerReader {
  /** Runs that have not gone to the shared database, where there is one: its service may be dead, or the database away. */
  undrained(): Promise<number>;
  close(): void;
}

/** @throws when there is no journal in the directory, or it is another version's */
export function openJournalReader(options: { readonly dir: string }): JournalReader {
  const tables = new JournalTables(options.dir);
  const reader = createLedgerReader(tables);
  return {
    ...reader,
    reconcile: async (decision) => {
      // A run goes out once and as it is: what is settled here afterwards would be known on this machine alone.
      const outbox = await tables.query("SELECT run FROM drained");
      if (outbox.length > 0) {
        throw new OperatorError("refused", "This ledger goes to a shared database: settle there, with DATABASE_URL.");
      }
      return reader.reconcile(decision);
    },
    prune: (startedBefore, { unknownToo = false } = {}) => pruneJournal(options.dir, { startedBefore, unknownToo }),
    undrained: async () => {
      const [row] = await tables.query<{ readonly runs: number }>(
        "SELECT count(*) AS runs FROM runs WHERE id > coalesce((SELECT run FROM drained), 0)",
      );
      return row!.runs;
    },
    close: () => tables.close(),
  };
}
