import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { catchUp } from "../../src/ledger/journal/replay-outcomes.ts";
import { JOURNAL_VIEWS } from "../../src/ledger/journal/journal-views.ts";

type Row = Readonly<Record<string, string | number | null>>;

/** One run as the ledger has it. */
export interface LedgerRows {
  readonly run: Row;
  readonly calls: readonly Row[];
  readonly attempts: readonly Row[];
}

/** Reads the journal as an operator's verb would, beside the service that writes it. */
export function readLedger(dataDir: string): LedgerRows[] {
  const file = join(dataDir, "ledger", "journal.db");
  if (!existsSync(file)) return [];
  catchUp(join(dataDir, "ledger"));
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const all = (sql: string) => database.prepare(sql).all() as Row[];
    database.exec(JOURNAL_VIEWS);
    const calls = Map.groupBy(all("SELECT * FROM ledger_calls ORDER BY ordinal"), transactionOf);
    const attempts = Map.groupBy(all("SELECT * FROM ledger_attempts ORDER BY ordinal, number"), transactionOf);
    return all("SELECT * FROM ledger_runs ORDER BY run").map((run) => ({
      run,
      calls: calls.get(transactionOf(run)) ?? [],
      attempts: attempts.get(transactionOf(run)) ?? [],
    }));
  } finally {
    database.close();
  }
}

function transactionOf(row: Row): string {
  return String(row["transaction_id"]);
}
