/** The columns of a run as they go out and are shown: what the journal keeps beside them for its own use is not among them. */
export const RUN_COLUMNS = [
  "transaction_id",
  "state",
  "kind",
  "organization_id",
  "workflow_id",
  "token_id",
  "context",
  "region",
  "simulated",
  "function_id",
  "started_at",
  "took_ms",
  "client_gone",
  "function_fault",
  "has_unknown",
  "verdicts",
  "unknown_sources",
  "unknown_source_names",
  "checksum",
] as const;

/** For a statement over `ledger_runs` by that alias. */
export function runColumnsOf(alias: string): string {
  return RUN_COLUMNS.map((column) => `${alias}.${column}`).join(", ");
}
