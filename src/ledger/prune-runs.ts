import type { LedgerTables } from "./ports.ts";

export interface Pruned {
  readonly deleted: number;
  /** Old enough, and kept because a charge of theirs is unknown. */
  readonly kept_unknown: number;
  /** Old enough, and kept because the outbox has not carried them away yet. */
  readonly kept_undrained: number;
}

/** So few at a time that nobody waits for the rows of one transaction. */
const AT_ONCE = 500;

const TABLES = ["ledger_reconciliations", "ledger_attempts", "ledger_calls", "ledger_runs"];

/**
 * Deletes runs that started before a moment from the ledger that several machines share, a few at a time, each with
 * everything that belongs to it. They are found by their place in time, going on from the last one found, so what is kept
 * is looked at once.
 */
export async function pruneRuns(tables: LedgerTables, startedBefore: number, unknownToo: boolean): Promise<Pruned> {
  const unknown = unknownToo ? "" : "AND r.has_unknown = 0";
  let place: readonly [startedAt: number, transactionId: string] = [Number.MIN_SAFE_INTEGER, ""];
  let deleted = 0;
  for (;;) {
    const runs = await tables.query<{ readonly transaction_id: string; readonly started_at: number }>(
      `SELECT r.transaction_id, r.started_at FROM ledger_runs AS r
       WHERE r.started_at < ? AND (r.started_at, r.transaction_id) > (?, ?) ${unknown}
       ORDER BY r.started_at, r.transaction_id LIMIT ${AT_ONCE}`,
      [startedBefore, ...place],
    );
    const last = runs.at(-1);
    if (last === undefined) break;
    const ids = runs.map((run) => run.transaction_id);
    const list = ids.map(() => "?").join(", ");
    await tables.change(async (query) => {
      for (const table of TABLES) await query(`DELETE FROM ${table} WHERE transaction_id IN (${list})`, ids);
    });
    deleted += ids.length;
    place = [last.started_at, last.transaction_id];
  }
  const [kept] = await tables.query<{ readonly runs: number }>(
    "SELECT count(*) AS runs FROM ledger_runs AS r WHERE r.started_at < ? AND r.has_unknown = 1",
    [startedBefore],
  );
  return { deleted, kept_unknown: kept!.runs, kept_undrained: 0 };
}
