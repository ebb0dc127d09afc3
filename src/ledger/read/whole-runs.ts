import type { AttemptRow, CallRow, LedgerQuery, ReconciliationRow, RunReportRow, RunRow } from "../ports.ts";

/** The runs with everything that belongs to them, in the order they were given. Few enough for one statement. */
export async function withAllRows(query: LedgerQuery, runs: readonly RunRow[]): Promise<readonly RunReportRow[]> {
  if (runs.length === 0) return [];
  const ids = runs.map((run) => run.transaction_id);
  const rowsOf = async <Row extends { readonly transaction_id: string }>(table: string, order: string) => {
    const rows = await query<Row>(
      `SELECT * FROM ${table} WHERE transaction_id IN (${ids.map(() => "?").join(", ")}) ORDER BY ${order}`,
      ids,
    );
    return Map.groupBy(rows, (row) => row.transaction_id);
  };
  const calls = await rowsOf<CallRow>("ledger_calls", "ordinal");
  const attempts = await rowsOf<AttemptRow>("ledger_attempts", "ordinal, number");
  const reconciliations = await rowsOf<ReconciliationRow>("ledger_reconciliations", "ordinal, revision");
  return runs.map((run) => ({
    run,
    calls: calls.get(run.transaction_id) ?? [],
    attempts: attempts.get(run.transaction_id) ?? [],
    reconciliations: reconciliations.get(run.transaction_id) ?? [],
  }));
}
