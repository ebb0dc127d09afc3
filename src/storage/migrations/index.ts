import type { Kysely } from "kysely";
import type { EngineName } from "../engine.ts";
import * as accessAndCredentials from "./0001_access_and_credentials.ts";
import * as ledger from "./0002_ledger.ts";
import * as unsettledCharges from "./0003_unsettled_charges.ts";
import * as runsWithUnknownCharges from "./0004_runs_with_unknown_charges.ts";
import * as listsByIndex from "./0005_lists_by_index.ts";
import * as outboxes from "./0006_outboxes.ts";
import * as linesByRun from "./0008_lines_by_run.ts";
import * as runsAhead from "./0009_runs_ahead.ts";
import * as runCounts from "./0010_run_counts.ts";
import * as disabledOrganizations from "./0011_disabled_organizations.ts";
import * as leases from "./0014_leases.ts";
import * as prices from "./0015_prices.ts";
import * as requestPrices from "./0016_request_prices.ts";
import * as budgets from "./0017_budgets.ts";
import * as operators from "./0018_operators.ts";
import * as loginCodes from "./0019_login_codes.ts";
import * as listsByKey from "./0020_lists_by_key.ts";
import * as namesByBeginning from "./0021_names_by_beginning.ts";
import * as auditByActor from "./0022_audit_by_actor.ts";
import * as credentialsOfSource from "./0023_credentials_of_source.ts";
import * as callsByCredential from "./0025_calls_by_credential.ts";
import * as ledgerTotals from "./0026_ledger_totals.ts";
import * as runsOfFunctions from "./0028_runs_of_functions.ts";

export interface Migration {
  readonly name: string;
  readonly up: (db: Kysely<unknown>, engine: EngineName) => Promise<void>;
}

/**
 * Every step from an empty database to the newest schema, in order; the first is version 1. Forward only: a released
 * step is never edited; a later step corrects it. The same steps serve both engines. A step that adds a column is a
 * line here; any other step is a file.
 */
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001_access_and_credentials", up: accessAndCredentials.up },
  { name: "0002_ledger", up: ledger.up },
  { name: "0003_unsettled_charges", up: unsettledCharges.up },
  { name: "0004_runs_with_unknown_charges", up: runsWithUnknownCharges.up },
  { name: "0005_lists_by_index", up: listsByIndex.up },
  { name: "0006_outboxes", up: outboxes.up },
  // The checksum of a run as its journal wrote it, or as it was after a charge was last settled.
  { name: "0007_run_checksums", up: addColumn("ledger_runs", "checksum", "integer") },
  { name: "0008_lines_by_run", up: linesByRun.up },
  { name: "0009_runs_ahead", up: runsAhead.up },
  { name: "0010_run_counts", up: runCounts.up },
  { name: "0011_disabled_organizations", up: disabledOrganizations.up },
  { name: "0012_call_orders", up: addColumn("ledger_calls", "order_id", "text") },
  { name: "0013_credential_regions", up: addColumn("credentials", "regions", "text") },
  { name: "0014_leases", up: leases.up },
  { name: "0015_prices", up: prices.up },
  { name: "0016_request_prices", up: requestPrices.up },
  { name: "0017_budgets", up: budgets.up },
  { name: "0018_operators", up: operators.up },
  { name: "0019_login_codes", up: loginCodes.up },
  { name: "0020_lists_by_key", up: listsByKey.up },
  { name: "0021_names_by_beginning", up: namesByBeginning.up },
  { name: "0022_audit_by_actor", up: auditByActor.up },
  { name: "0023_credentials_of_source", up: credentialsOfSource.up },
  { name: "0024_operator_logins", up: addColumn("operators", "login", "text") },
  { name: "0025_calls_by_credential", up: callsByCredential.up },
  { name: "0026_ledger_totals", up: ledgerTotals.up },
  // When a lease was last asked for, so that those of processes that are gone can be told from others.
  { name: "0027_leases_heard_of", up: addColumn("budget_leases", "heard_at", "bigint") },
  { name: "0028_runs_of_functions", up: runsOfFunctions.up },
];

/** The column is null in existing rows. */
function addColumn(table: string, column: string, type: "text" | "bigint" | "integer" | "smallint"): Migration["up"] {
  return (db) => db.schema.alterTable(table).addColumn(column, type).execute();
}
