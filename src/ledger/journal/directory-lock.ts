import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Two services must not use one journal. */
export class LedgerInUse extends Error {}

const FILE = "service.lock";

/** Longer than `isLocked` looks, and short enough for whoever waits to be told that another service has the directory. */
const LOCK_WAIT_MS = 2_000;

/**
 * Makes this process the only one that keeps a ledger in a directory, until it releases the lock or dies in any way.
 * The lock is the operating system's, held through an otherwise empty SQLite file. Operators' verbs do not take it.
 * @throws LedgerInUse
 */
export function lockDirectory(directory: string): () => void {
  const database = new DatabaseSync(join(directory, FILE), { timeout: LOCK_WAIT_MS });
  try {
    database.exec("PRAGMA journal_mode = MEMORY");
    database.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    throw new LedgerInUse(
      `another service or a command keeps its ledger in ${directory}: each service needs a data directory of its own`,
      { cause: error },
    );
  }
  return () => database.close();
}

/**
 * Whether a process holds the lock of a directory, which is also assumed if it cannot be found out. Any number can look
 * at once, and a process that locks the directory in that moment waits for them.
 */
export function isLocked(directory: string): boolean {
  const file = join(directory, FILE);
  if (!existsSync(file)) return false;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      // Reading takes a lock that others can share, unlike the one of a service.
      database.exec("SELECT 1 FROM sqlite_schema");
      return false;
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}
