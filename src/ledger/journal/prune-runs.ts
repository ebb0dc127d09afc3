import { spanOf } from "../../terms/ids.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerTables } from "../ports.ts";

export interface Pruned {
  readonly deleted: number;
  /** Runs that are old enough but stay because one of their charges is unknown. */
  readonly kept_unknown: number;
  /** Runs that are old enough but stay because the shared database does not have them yet. */
  readonly kept_undrained: number;
}

/** Few enough to keep each transaction short. */
const AT_ONCE = 500;

const CHILD_TABLES = ["ledger_reconciliations", "ledger_attempts", "ledger_calls"];

type PrunableRun = { readonly transaction_id: string; readonly started_at: number };

/**
 * Deletes runs that started before `startedBefore` from the shared ledger, a few at a time, each with all its rows. It
 * pages through them by start time, so each remaining run is examined once.
 */
export async function pruneRuns(
  tables: LedgerTables,
  startedBefore: number,
  unknownToo: boolean,
  onProgress: OnProgress = () => {},
): Promise<Pruned> {
  let deleted = 0;
  for await (const ids of pages(tables, startedBefore, unknownToo)) {
    deleted += await deleteRuns(tables, ids, unknownToo);
    onProgress("runs deleted", deleted);
  }
  const [kept] = await tables.query<{ readonly runs: number }>(
    "SELECT count(*) AS runs FROM ledger_runs AS r WHERE r.started_at < ? AND r.has_unknown = 1",
    [startedBefore],
  );
  return { deleted, kept_unknown: kept!.runs, kept_undrained: 0 };
}

async function* pages(
  { query }: LedgerTables,
  startedBefore: number,
  unknownToo: boolean,
): AsyncGenerator<readonly string[]> {
  const unknown = unknownToo ? "" : "AND r.has_unknown = 0";
  let cursor: readonly [startedAt: number, transactionId: string] = [Number.MIN_SAFE_INTEGER, ""];
  for (;;) {
    const runs = await query<PrunableRun>(
      `SELECT r.transaction_id, r.started_at FROM ledger_runs AS r
       WHERE r.started_at < ? AND (r.started_at, r.transaction_id) > (?, ?) ${unknown}
       ORDER BY r.started_at, r.transaction_id LIMIT ${AT_ONCE}`,
      [startedBefore, ...cursor],
    );
    const last = runs.at(-1);
    if (last === undefined) return;
    yield runs.map((run) => run.transaction_id);
    cursor = [last.started_at, last.transaction_id];
  }
}

async function deleteRuns(tables: LedgerTables, found: readonly string[], unknownToo: boolean): Promise<number> {
  if (found.length === 0) return 0;
  // One of their charges may have been reopened since the search.
  const unknown = unknownToo ? "" : "AND has_unknown = 0";
  return tables.change(async (query) => {
    const deleted = await query<PrunableRun>(
      `DELETE FROM ledger_runs WHERE transaction_id IN (${placeholders(found)}) ${unknown} RETURNING transaction_id, started_at`,
      found,
    );
    const ids = deleted.map((run) => run.transaction_id);
    if (ids.length === 0) return 0;
    for (const table of CHILD_TABLES)
      await query(`DELETE FROM ${table} WHERE transaction_id IN (${placeholders(ids)})`, ids);
    const spans = Map.groupBy(deleted, (run) => spanOf(run.transaction_id));
    // In a fixed order, so that two deleting processes cannot deadlock.
    for (const [span, runs] of [...spans].toSorted(([a], [b]) => (a < b ? -1 : 1)))
      await query(
        `INSERT INTO ledger_run_counts (span, journal, runs, deleted_up_to) VALUES (?, '', ?, ?)
         ON CONFLICT (span, journal) DO UPDATE SET
           runs = ledger_run_counts.runs + excluded.runs,
           deleted_up_to = CASE WHEN ledger_run_counts.deleted_up_to > excluded.deleted_up_to
             THEN ledger_run_counts.deleted_up_to ELSE excluded.deleted_up_to END`,
        [span, -runs.length, Math.max(...runs.map((run) => run.started_at))],
      );
    return deleted.length;
  });
}

function placeholders(values: readonly unknown[]): string {
  return values.map(() => "?").join(", ");
}
