import { UNKNOWN_CALL } from "../journal/verdicts.ts";
import type { LedgerQuery } from "../ports.ts";

/** The number of unsettled charges. */
export interface UnknownCount {
  /** Requests, and calls without a recorded request. */
  readonly charges: number;
  /** There may be more: only the oldest thousand runs were read. */
  readonly isMore: boolean;
  /** Start of the oldest run with an unsettled charge; `null` if there is none. */
  readonly sinceWallAt: number | null;
}

const RUNS_MAX = 1_000;

/**
 * The figures of `unknownCharges`, from few rows: SQLite keeps the order of a cross join, so the query begins with the
 * few runs.
 */
export async function countUnknown(query: LedgerQuery): Promise<UnknownCount> {
  const [row] = await query<{ requests: number; calls: number; runs: number; since: number | null }>(
    `WITH u AS (
       SELECT r.transaction_id, r.started_at FROM ledger_runs AS r WHERE r.has_unknown = 1 AND r.simulated = 0
       ORDER BY r.started_at, r.transaction_id LIMIT ${RUNS_MAX + 1})
     SELECT count(*) AS runs, min(u.started_at) AS since,
       (SELECT count(*) FROM u CROSS JOIN ledger_attempts AS a
          WHERE a.transaction_id = u.transaction_id AND a.charged = 'unknown') AS requests,
       (SELECT count(*) FROM u CROSS JOIN ledger_calls AS c
          WHERE c.transaction_id = u.transaction_id AND c.charges = ${UNKNOWN_CALL}) AS calls
     FROM u`,
  );
  const { requests, calls, runs, since } = row!;
  return { charges: requests + calls, isMore: runs > RUNS_MAX, sinceWallAt: since };
}
