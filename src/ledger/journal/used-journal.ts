import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hasJournal, JOURNAL_FILE } from "./journal-file.ts";

export interface UsedJournal {
  readonly directory: string;
  /** Its runs go to a shared ledger. Otherwise it is a ledger of its own. */
  readonly isOutbox: boolean;
}

/**
 * The journal in a directory if it has ever had a run, so that the store of its organizations must exist somewhere.
 * `null` also for a journal that cannot be read: opening it says why. It can be of any version.
 */
export function usedJournal(directory: string): UsedJournal | null {
  if (!hasJournal(directory)) return null;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true, timeout: WAIT_MS });
    const drained = database.prepare("SELECT run FROM drained").get();
    // Runs that were sent are deleted after a day.
    const isUsed = Number(drained?.["run"] ?? 0) > 0 || database.prepare("SELECT 1 FROM runs LIMIT 1").get();
    return isUsed ? { directory, isOutbox: drained !== undefined } : null;
  } catch {
    return null;
  } finally {
    database?.close();
  }
}

const WAIT_MS = 5_000;
