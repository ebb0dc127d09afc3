import { selectionOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS } from "../columns.ts";
import type { AttemptRow, CallRow, LedgerQuery, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";

/** The runs with everything that belongs to them, in the order they were given. Few enough for one statement. */
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
