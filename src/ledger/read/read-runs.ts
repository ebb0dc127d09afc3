import { nullIfDamaged } from "../journal/journal-damage.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { isSound } from "../journal/run-checksum.ts";
import { selectionOf, type Columns } from "../column.ts";
import type { AttemptRow, CallRow, LedgerQuery, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";

/** A run, with whether it is damaged. */
export interface FoundRun {
  readonly transactionId: string;
  /** Null if its rows cannot be read. */
  readonly row: RunReportRow | null;
  /** Its rows do not match the checksum, or cannot be read. */
  readonly damaged: boolean;
}

/**
 * Attempts to read a run. It may be settled between two statements and is then read again. A run that stays
 * inconsistent is damaged.
 */
const READS_MAX = 3;

/**
 * Reads runs by their ids, each with all its rows, in the given order; runs that do not exist are left out. Pass no
 * more ids than fit in one statement. Damage to one run does not affect the others.
 */
export async function readRuns(query: LedgerQuery, transactionIds: readonly string[]): Promise<readonly FoundRun[]> {
  const rows = await readTogether(query, transactionIds).catch(nullIfDamaged);
  const found: FoundRun[] = [];
  for (const transactionId of transactionIds) {
    const row = rows?.get(transactionId);
    if (row !== undefined && isSound(row)) found.push({ transactionId, row, damaged: false });
    else if (row !== undefined || rows === null) found.push(...(await readAlone(query, transactionId)));
  }
  return found;
}

async function readAlone(query: LedgerQuery, transactionId: string): Promise<readonly FoundRun[]> {
  let row: RunReportRow | null = null;
  for (let attempt = 0; attempt < READS_MAX; attempt += 1) {
    const rows = await readTogether(query, [transactionId]).catch(nullIfDamaged);
    if (rows === null) return [{ transactionId, row: null, damaged: true }];
    row = rows.get(transactionId) ?? null;
    if (row === null) return [];
    if (isSound(row)) return [{ transactionId, row, damaged: false }];
  }
  return [{ transactionId, row, damaged: true }];
}

async function readTogether(
  query: LedgerQuery,
  transactionIds: readonly string[],
): Promise<ReadonlyMap<string, RunReportRow>> {
  if (transactionIds.length === 0) return new Map();
  const runs = await query<RunRow>(
    `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r
     WHERE r.transaction_id IN (${transactionIds.map(() => "?").join(", ")})`,
    transactionIds,
  );
  const rows = await withAllRows(query, runs);
  return new Map(rows.map((row) => [row.run.transaction_id, row]));
}

/** The runs with all their rows, in the same order. Pass no more runs than fit in one statement. */
export async function withAllRows(query: LedgerQuery, runs: readonly RunRow[]): Promise<readonly RunReportRow[]> {
  if (runs.length === 0) return [];
  const ids = runs.map((run) => run.transaction_id);
  const rowsOf = async <Row extends { readonly transaction_id: string }>(
    table: string,
    columns: Columns,
    order: string,
  ) => {
    const rows = await query<Row>(
      `SELECT t.transaction_id, ${selectionOf(columns, "t")} FROM ${table} AS t WHERE t.transaction_id IN (${ids.map(() => "?").join(", ")}) ORDER BY ${order}`,
      ids,
    );
    return Map.groupBy(rows, (row) => row.transaction_id);
  };
  const calls = await rowsOf<CallRow>("ledger_calls", CALL_COLUMNS, "ordinal");
  const attempts = await rowsOf<AttemptRow>("ledger_attempts", ATTEMPT_COLUMNS, "ordinal, number");
  const reconciliations = await rowsOf<ReconciliationRow>(
    "ledger_reconciliations",
    RECONCILIATION_COLUMNS,
    "ordinal, revision",
  );
  return runs.map((run) => ({
    run,
    calls: calls.get(run.transaction_id) ?? [],
    attempts: attempts.get(run.transaction_id) ?? [],
    reconciliations: reconciliations.get(run.transaction_id) ?? [],
  }));
}
