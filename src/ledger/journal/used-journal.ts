import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { hasJournal, JOURNAL_FILE } from "./journal-file.ts";

export interface UsedJournal {
  readonly directory: string;
  /** Its runs go to a shared ledger. Otherwise the journal itself is the ledger. */
  readonly isOutbox: boolean;
}

/**
 * The journal in a directory if it has ever had a run: a store with the organizations of its runs must then exist.
 * `null` also for an unreadable journal; opening it reports the reason. The journal can have any version.
 */
export function usedJournal(directory: string): UsedJournal | null {
  if (!hasJournal(directory)) return null;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(directory, JOURNAL_FILE), { readOnly: true, timeout: WAIT_MS });
    const drained = database.prepare("SELECT run FROM drained").get();
    // Sent runs are deleted after a day.
    const isUsed = Number(drained?.["run"] ?? 0) > 0 || database.prepare("SELECT 1 FROM runs LIMIT 1").get();
    return isUsed ? { directory, isOutbox: drained !== undefined } : null;
  } catch {
    return null;
  } finally {
    database?.close();
  }
}

const WAIT_MS = 5_000;
