import type { Kysely } from "kysely";
import type { EngineName } from "../engine.ts";

export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, engine: EngineName) => Promise<void>;
  /**
   * The oldest schema version whose code can work on a store with this step: it finds everything that it reads, and what
   * it writes is complete for the newer code. Left out when no older code can.
   */
  readonly readableFrom?: number;
}

/**
 * Every step from an empty database to the newest schema, in order; the first is version 1. Forward only: a released
 * step is never edited; a later step corrects it. The same steps serve both engines. A step that adds a column is a
 * line here; any other step is a file, which is loaded when a store lacks it.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_access_and_credentials", up: from(() => import("./0001_access_and_credentials.ts")) },
  { name: "0002_ledger", up: from(() => import("./0002_ledger.ts")) },
  { name: "0003_unsettled_charges", up: from(() => import("./0003_unsettled_charges.ts")) },
  { name: "0004_runs_with_unknown_charges", up: from(() => import("./0004_runs_with_unknown_charges.ts")) },
  { name: "0005_lists_by_index", up: from(() => import("./0005_lists_by_index.ts")) },
  { name: "0006_outboxes", up: from(() => import("./0006_outboxes.ts")) },
  // The checksum of a run as its journal wrote it, or as it was after a charge was last settled.
  { name: "0007_run_checksums", up: addColumn("ledger_runs", "checksum", "integer") },
  { name: "0008_lines_by_run", up: from(() => import("./0008_lines_by_run.ts")) },
  { name: "0009_runs_ahead", up: from(() => import("./0009_runs_ahead.ts")) },
  { name: "0010_run_counts", up: from(() => import("./0010_run_counts.ts")) },
  { name: "0011_disabled_organizations", up: from(() => import("./0011_disabled_organizations.ts")) },
  { name: "0012_call_orders", up: addColumn("ledger_calls", "order_id", "text") },
  { name: "0013_credential_regions", up: addColumn("credentials", "regions", "text") },
  { name: "0014_leases", up: from(() => import("./0014_leases.ts")) },
  { name: "0015_prices", up: from(() => import("./0015_prices.ts")) },
  { name: "0016_request_prices", up: from(() => import("./0016_request_prices.ts")) },
  { name: "0017_budgets", up: from(() => import("./0017_budgets.ts")) },
  { name: "0018_operators", up: from(() => import("./0018_operators.ts")) },
  { name: "0019_login_codes", up: from(() => import("./0019_login_codes.ts")) },
  { name: "0020_lists_by_key", up: from(() => import("./0020_lists_by_key.ts")) },
  { name: "0021_names_by_beginning", up: from(() => import("./0021_names_by_beginning.ts")) },
  { name: "0022_audit_by_actor", up: from(() => import("./0022_audit_by_actor.ts")) },
  { name: "0023_credentials_of_source", up: from(() => import("./0023_credentials_of_source.ts")) },
  { name: "0024_operator_logins", up: addColumn("operators", "login", "text") },
  { name: "0025_calls_by_credential", up: from(() => import("./0025_calls_by_credential.ts")) },
  { name: "0026_ledger_totals", up: from(() => import("./0026_ledger_totals.ts")) },
  // When a lease was last asked for, so that those of processes that are gone can be told from others.
  { name: "0027_leases_heard_of", up: addColumn("budget_leases", "heard_at", "bigint") },
  { name: "0028_runs_of_functions", up: from(() => import("./0028_runs_of_functions.ts")) },
  // The latest start of a deleted run, so that none comes back with a batch that is sent again.
  { name: "0029_deleted_runs", up: addColumn("ledger_run_counts", "deleted_up_to", "bigint") },
  { name: "0030_caller_ids", up: from(() => import("./0030_caller_ids.ts")) },
  { name: "0031_calls_rejected_by_budgets", up: from(() => import("./0031_calls_rejected_by_budgets.ts")) },
  // When the limit of a budget was last changed.
  { name: "0032_changed_budgets", up: addColumn("budgets", "changed_wall_at", "bigint") },
  // Where the days and months of a budget begin; null for UTC.
  { name: "0033_budget_time_zones", up: addColumn("budgets", "time_zone", "text") },
  // Which start of a service made a run; null in runs of earlier versions.
  { name: "0034_starts_of_runs", up: addColumn("ledger_runs", "start_id", "text") },
  // The latest period of a budget in which something was leased, so that an earlier one is not taken for a new one.
  { name: "0035_begun_periods", up: addColumn("budgets", "begun_from", "bigint") },
];

function from(load: () => Promise<Pick<Migration, "up">>): Migration["up"] {
  return async (db, engine) => (await load()).up(db, engine);
}

/** The column is null in existing rows. */
function addColumn(table: string, column: string, type: "text" | "bigint" | "integer" | "smallint"): Migration["up"] {
  return (db) => db.schema.alterTable(table).addColumn(column, type).execute();
}
