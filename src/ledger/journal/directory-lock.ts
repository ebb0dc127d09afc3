import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { lockFile } from "../../terms/platform/lock-file.ts";

/** Two services must not use one journal. */
export class LedgerInUse extends Error {}

const FILE = "service.lock";

/** Longer than `isLocked` takes, and short enough for a start to report soon that another service has the directory. */
const LOCK_WAIT_MS = 2_000;

/**
 * Makes this process the only one with a ledger in a directory, until it releases the lock or dies in any way.
 * Operators' verbs do not take the lock.
 * @throws LedgerInUse
 */
export function lockDirectory(directory: string): () => void {
  try {
    return lockFile(join(directory, FILE), LOCK_WAIT_MS);
  } catch (error) {
    throw new LedgerInUse(
      `another service or a command keeps its ledger in ${directory}: each service needs a data directory of its own`,
      { cause: error },
    );
  }
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
