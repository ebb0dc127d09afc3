import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** Two services must not use one journal. */
export class LedgerInUse extends Error {}

const FILE = "service.lock";

/** Longer than `isLocked` takes, and short enough for a start to report soon that another service has the directory. */
const LOCK_WAIT_MS = 2_000;

/**
 * Makes this process the only one with a ledger in a directory, until it releases the lock or dies in any way. The lock
 * belongs to the operating system, on an otherwise empty SQLite file. Operators' verbs do not take it.
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
 * Whether a process has the lock of a directory; true also if this is impossible to find out. Any number of processes
 * can check at once. A process that locks the directory at that moment waits for them.
 */
export function isLocked(directory: string): boolean {
  const file = join(directory, FILE);
  if (!existsSync(file)) return false;
  try {
    const database = new DatabaseSync(file, { readOnly: true });
    try {
      // Reading takes a shared lock, unlike a service.
      database.exec("SELECT 1 FROM sqlite_schema");
      return false;
    } finally {
      database.close();
    }
  } catch {
    return true;
  }
}
