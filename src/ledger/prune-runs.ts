import type { LedgerTables } from "./ports.ts";

export interface Pruned {
  readonly deleted: number;
  /** Old enough, and kept because a charge of theirs is unknown. */
  readonly kept_unknown: number;
  /** Old enough, and kept because the outbox has not carried them away yet. */
  readonly kept_undrained: number;
}

/** So few at a time that whoever writes to the ledger between them does not wait. */
const AT_ONCE = 100;

const UNKNOWN = "r.transaction_id IN (SELECT transaction_id FROM ledger_unsettled)";
const TABLES = ["ledger_reconciliations", "ledger_attempts", "ledger_calls", "ledger_runs"];

/** Deletes runs that started before a moment, a few at a time, each with everything that belongs to it. */
export async function pruneRuns(tables: LedgerTables, startedBefore: number, unknownToo: boolean): Promise<Pruned> {
  const { heldBack } = tables;
  const deletable = `r.started_at < ? AND NOT (${heldBack}) ${unknownToo ? "" : `AND NOT ${UNKNOWN}`}`;
  let deleted = 0;
  for (let count = AT_ONCE; count === AT_ONCE; deleted += count) {
    count = await tables.change(async (query) => {
      const runs = await query<{ readonly transaction_id: string }>(
        `SELECT r.transaction_id FROM ledger_runs AS r WHERE ${deletable}
         ORDER BY r.started_at, r.transaction_id LIMIT ${AT_ONCE}`,
        [startedBefore],
      );
      const ids = runs.map((run) => run.transaction_id);
      const list = ids.map(() => "?").join(", ");
      if (ids.length > 0) {
        for (const table of TABLES) await query(`DELETE FROM ${table} WHERE transaction_id IN (${list})`, ids);
      }
      return ids.length;
    });
  }
  const kept = async (condition: string): Promise<number> => {
    const [row] = await tables.query<{ readonly kept: number }>(
      `SELECT count(*) AS kept FROM ledger_runs AS r WHERE r.started_at < ? AND ${condition}`,
      [startedBefore],
    );
    return row!.kept;
  };
  return {
    deleted,
    kept_unknown: unknownToo ? 0 : await kept(`NOT (${heldBack}) AND ${UNKNOWN}`),
    kept_undrained: await kept(`(${heldBack})`),
  };
}
