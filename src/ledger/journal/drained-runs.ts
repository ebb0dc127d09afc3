import type { DatabaseSync } from "node:sqlite";
import { deletionsOfRun, recordForgotten } from "./journal-pruner.ts";
import type { DrainRecord } from "./running-ledger.ts";

/** Few enough that commits hardly wait. */
const FORGET_AT_ONCE = 100;

/** Records how far the outbox has been drained, inside the caller's transaction. */
export function recordDrained(database: DatabaseSync, { run, wallAt, wentBack, setAside }: DrainRecord): void {
  const newValue = wentBack === true ? "excluded.run" : "max(run, excluded.run)";
  database
    .prepare(
      `INSERT INTO drained (only, run, drained_at) VALUES (1, ?, ?)
       ON CONFLICT (only) DO UPDATE SET run = ${newValue}, drained_at = excluded.drained_at`,
    )
    .run(run, wallAt);
  if (setAside !== undefined)
    database.prepare("INSERT OR REPLACE INTO set_aside (run, reason) VALUES (?, ?)").run(run, setAside);
}

const IS_GONE = "id <= (SELECT run FROM drained) AND NOT EXISTS (SELECT 1 FROM set_aside WHERE run = runs.id)";

/** Deletes some of the drained runs that started before `startedBefore`. True if there may be more to delete. */
export function forgetDrained(database: DatabaseSync, startedBefore: number): boolean {
  database.exec("BEGIN IMMEDIATE");
  const runs = database
    .prepare(`SELECT id FROM runs WHERE ${IS_GONE} AND started_at < ? ORDER BY started_at LIMIT ${FORGET_AT_ONCE}`)
    .all(startedBefore) as { id: number }[];
  const deletions = deletionsOfRun(database);
  for (const { id } of runs) for (const deletion of deletions) deletion.run(id);
  if (runs.length > 0) recordForgotten(database, startedBefore);
  database.exec("COMMIT");
  return runs.length === FORGET_AT_ONCE;
}
