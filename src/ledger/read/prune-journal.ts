import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { OperatorError } from "../../terms/operator-error.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { systemClock } from "../../terms/time/clock.ts";
import { LedgerInUse } from "../journal/directory-lock.ts";
import { COMMAND_WAIT_MS, inTransaction } from "../journal/journal-database.ts";
import { JOURNAL_FILE } from "../journal/journal-file.ts";
import { GIVEN_UP } from "../journal/journal-pruner.ts";
import { createLedger } from "../ledger.ts";
import type { Pruned } from "../journal/prune-runs.ts";
import type { RunningLedger } from "../journal/running-ledger.ts";

export interface JournalPruning {
  readonly startedBefore: number;
  readonly unknownToo: boolean;
  readonly onProgress?: OnProgress | undefined;
}

const POLL_MS = 50;
/** Number of finished requests to keep: they show when retention last ran. */
const FINISHED_MAX = 20;

/**
 * Requests a deletion from the journal's only writer, and waits for it. The writer is the running service or, if there
 * is none or it stops meanwhile, this process.
 */
export async function pruneJournal(
  dir: string,
  { startedBefore, unknownToo, onProgress }: JournalPruning,
): Promise<Pruned> {
  const database = new DatabaseSync(join(dir, JOURNAL_FILE), { timeout: COMMAND_WAIT_MS });
  let ownLedger: RunningLedger | null = null;
  try {
    const id = requestPruning(database, startedBefore, unknownToo);
    const answer = database.prepare("SELECT done, deleted, kept_unknown, kept_undrained FROM prunings WHERE id = ?");
    for (;;) {
      const { done, ...pruned } = answer.get(id) as unknown as Pruned & { readonly done: number };
      onProgress?.("runs deleted", pruned.deleted);
      if (done !== 0) {
        if (done === GIVEN_UP) throw new OperatorError("unavailable", damageMessage(pruned));
        return pruned;
      }
      ownLedger ??= openIfUnused(dir);
      await new Promise<void>((resolve) => systemClock.after(POLL_MS, resolve));
    }
  } finally {
    database.close();
    await ownLedger?.close();
  }
}

function damageMessage({ deleted }: Pruned): string {
  return `The ledger is damaged where runs were to be deleted: ${deleted} were, and the rest stays. "datarun ledger verify" says what is lost.`;
}

function requestPruning(database: DatabaseSync, startedBefore: number, unknownToo: boolean): number {
  return inTransaction(database, () => {
    const { lastInsertRowid } = database
      .prepare("INSERT INTO prunings (asked_at, started_before, unknown_too) VALUES (?, ?, ?)")
      .run(systemClock.wall(), startedBefore, unknownToo ? 1 : 0);
    database
      .prepare("DELETE FROM prunings WHERE done <> 0 AND id < (SELECT max(id) FROM prunings) - ?")
      .run(FINISHED_MAX);
    return Number(lastInsertRowid);
  });
}

/**
 * Opens the ledger, which first records an earlier process's intents without outcome: they become runs like others.
 * `null` if a service uses it.
 */
function openIfUnused(dir: string): RunningLedger | null {
  const quiet = (): void => {};
  try {
    return createLedger({ dir, clock: systemClock, log: { info: quiet, warn: quiet, error: quiet } });
  } catch (error) {
    if (error instanceof LedgerInUse) return null;
    throw error;
  }
}
