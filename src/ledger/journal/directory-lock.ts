import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Two services must not use one journal. */
export class LedgerInUse extends Error {}

/**
 * Makes this process the only one that keeps a ledger in a directory, until it releases the lock or dies in any way.
 * The lock is the operating system's, held through an otherwise empty SQLite file. Operators' verbs do not take it.
 * @throws LedgerInUse
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, "service.lock"));
  try {
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw new LedgerInUse(`another service keeps its ledger in ${directory}: each needs a data directory of its own`, {
      cause: error,
    });
  }
  return () => database.close();
}
