import type { Charged } from "../../terms/fault.ts";
import { chargesWith, verdictMask, type CallOutcome } from "../journal/verdicts.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";

/**
 * Selects runs. An absent field does not narrow the selection. `source` and `outcome` must match the same call, and
 * `charged` one of its requests.
 */
export interface LedgerFilter {
  readonly transactionId?: string;
  /** Only runs that started at or after this time, in milliseconds since 1970. */
  readonly from?: number;
  /** Only runs that started before this time. */
  readonly to?: number;
  readonly organizationId?: string;
  readonly workflowId?: string;
  /** Runs of this function id, whether the function exists or not. */
  readonly functionId?: string;
  /** Runs of the function with this digest. */
  readonly functionVersion?: string;
  /** Runs of this version of the deployment. */
  readonly build?: string;
  /** Runs of requests with this id from the caller. */
  readonly clientRequestId?: string;
  /** Runs of requests in this trace of the caller. */
  readonly traceId?: string;
  readonly source?: string;
  /** Runs with a call of the source with this digest. */
  readonly sourceVersion?: string;
  readonly outcome?: CallOutcome;
  readonly charged?: Charged;
}

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

const OF_OUTCOME: { readonly [outcome in CallOutcome]: string } = {
  match: "l.success = 1 AND l.match = 1",
  no_match: "l.success = 1 AND l.match = 0",
  failed: "l.success = 0",
  unknown: "l.success IS NULL",
};

type IsText = LedgerTables["isText"];

/** The field that determines the index: only this field is compared in a form that an index supports. */
export type FoundBy = "caller" | "function" | "request";

/** The filter as a condition on `ledger_runs AS r`. */
export function runCondition(filter: LedgerFilter, isText: IsText, by: FoundBy = "caller"): SqlCondition {
  const of = [ofRun(filter, isText, "r", by), verdictCondition(filter), versionCondition(filter)].reduce(both);
  // No call of this source has a property that no call of the run has.
  return filter.source === undefined ? of : both(of, hasCall(filter, isText));
}

/**
 * Whether a run has such a call: a condition that is evaluated for the run's few calls, and not for all calls of the
 * source. The OFFSET keeps PostgreSQL from turning it into a join, which would first read all of those.
 */
export function hasCall(filter: LedgerFilter, isText: IsText): SqlCondition {
  const { sql, values } = callCondition(filter, (column) => `(${isText(column)}) IS TRUE`);
  const lines = `SELECT 1 FROM ledger_lines AS l WHERE l.transaction_id = r.transaction_id AND ${sql} LIMIT 1 OFFSET 0`;
  return { sql: `EXISTS (${lines})`, values };
}

/** Whether the filter has a field that no index has. */
export function hasVersion({ functionVersion, sourceVersion, build }: LedgerFilter): boolean {
  return (functionVersion ?? sourceVersion ?? build) !== undefined;
}

function versionCondition({ functionVersion, sourceVersion, build }: LedgerFilter): SqlCondition {
  const calls = "SELECT 1 FROM ledger_calls AS v WHERE v.transaction_id = r.transaction_id AND v.source_version = ?";
  return all([
    ["(r.function_version = ?) IS TRUE", functionVersion],
    ["(r.build = ?) IS TRUE", build],
    [`EXISTS (${calls} LIMIT 1 OFFSET 0)`, sourceVersion],
  ]);
}

/** A call of the run has the outcome and the charge. */
function verdictCondition({ outcome, charged }: LedgerFilter): SqlCondition {
  if (outcome === undefined && charged === undefined) return { sql: "TRUE", values: [] };
  const mask = verdictMask({ ...(outcome !== undefined && { outcome }), ...(charged !== undefined && { charged }) });
  return { sql: `(r.verdicts & ${mask}) <> 0`, values: [] };
}

/** The filter as a condition on `ledger_lines AS l`: a run is selected when one of its lines is. */
export function lineCondition(filter: LedgerFilter, isText: IsText): SqlCondition {
  return both(callCondition(filter, isText), ofRun(filter, isText, "l", "caller"));
}

function ofRun(filter: LedgerFilter, isText: IsText, alias: string, by: FoundBy): SqlCondition {
  const { transactionId, from, to, organizationId, workflowId, functionId, clientRequestId, traceId } = filter;
  const ofOrganization = isText(`${alias}.organization_id`);
  const ofWorkflow = isText(`${alias}.workflow_id`);
  const ofFunction = `${alias}.function_id = ?`;
  const ofRequest = (column: string): string =>
    by === "request" ? `${alias}.${column} = ?` : `(${alias}.${column} = ?) IS TRUE`;
  return all([
    [`${alias}.transaction_id = ?`, transactionId],
    [`${alias}.started_at >= ?`, from],
    [`${alias}.started_at < ?`, to],
    // A workflow belongs to one organization, so a workflow in the filter alone should determine the index.
    [by === "caller" && workflowId === undefined ? ofOrganization : `(${ofOrganization}) IS TRUE`, organizationId],
    [by === "caller" ? ofWorkflow : `(${ofWorkflow}) IS TRUE`, workflowId],
    [by === "function" ? ofFunction : `(${ofFunction}) IS TRUE`, functionId],
    [ofRequest("client_request_id"), clientRequestId],
    [ofRequest("trace_id"), traceId],
  ]);
}

/** The filter's conditions on a call, for `ledger_lines AS l`. */
export function callCondition({ source, outcome, charged }: LedgerFilter, isText: IsText): SqlCondition {
  const conditions = [all([[isText("l.source"), source]])];
  if (outcome !== undefined) conditions.push({ sql: OF_OUTCOME[outcome], values: [] });
  if (charged !== undefined) conditions.push({ sql: `l.charges IN (${chargesWith(charged).join(", ")})`, values: [] });
  return conditions.reduce(both);
}

/** Joins all parts that have a value with AND. */
function all(conditions: readonly (readonly [sql: string, value: string | number | undefined])[]): SqlCondition {
  const defined = conditions.filter(([, value]) => value !== undefined);
  return {
    sql: defined.length === 0 ? "TRUE" : defined.map(([sql]) => sql).join(" AND "),
    values: defined.map(([, value]) => (typeof value === "string" ? toStored(value) : value!)),
  };
}

export function both(one: SqlCondition, other: SqlCondition): SqlCondition {
  return { sql: `${one.sql} AND ${other.sql}`, values: [...one.values, ...other.values] };
}
