import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

type Row = Readonly<Record<string, string | number | null>>;

/** One run as the ledger has it. */
export interface LedgerRows {
  readonly run: Row;
  readonly calls: readonly Row[];
  readonly attempts: readonly Row[];
}

/** Reads the journal as it stands on disk, beside the service that writes it. */
export function readLedger(dataDir: string): LedgerRows[] {
  const file = join(dataDir, "ledger", "journal.db");
  if (!existsSync(file)) return [];
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const all = (sql: string) => database.prepare(sql).all() as Row[];
    const calls = all("SELECT * FROM calls ORDER BY run, ordinal");
    const attempts = all("SELECT * FROM attempts ORDER BY run, ordinal, number");
    return all("SELECT * FROM runs ORDER BY id").map((run) => ({
      run,
      calls: calls.filter((call) => call["run"] === run["id"]),
      attempts: attempts.filter((attempt) => attempt["run"] === run["id"]),
    }));
  } finally {
    database.close();
  }
}
