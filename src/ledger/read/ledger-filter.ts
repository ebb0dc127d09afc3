import type { Charged, FaultKind } from "../../terms/fault.ts";
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
  /** Runs with a call that failed in this way. With `source`, a call of the source. */
  readonly failure?: FaultKind;
  /** Runs that took at least this long. With `source`, runs with such a call of the source. */
  readonly tookMsMin?: number;
}

export interface SqlCondition {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

function ofOutcome(outcome: CallOutcome, alias: string): string {
  switch (outcome) {
    case "match":
      return `${alias}.success = 1 AND ${alias}.match = 1`;
    case "no_match":
      return `${alias}.success = 1 AND ${alias}.match = 0`;
    case "failed":
      return `${alias}.success = 0`;
    case "unknown":
      return `${alias}.success IS NULL`;
  }
}

type IsText = LedgerTables["isText"];

/** The field that determines the index: only this field is compared in a form that an index supports. */
export type FoundBy = "caller" | "function" | "request";

/** The filter as a condition on `ledger_runs AS r`. */
export function runCondition(filter: LedgerFilter, isText: IsText, by: FoundBy = "caller"): SqlCondition {
  const of = [ofRun(filter, isText, "r", by), verdictCondition(filter), unindexedCondition(filter)].reduce(both);
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

/** Fields that no index has. The runs of the rest of the filter are checked for them one by one. */
const UNINDEXED = ["functionVersion", "sourceVersion", "build", "failure", "tookMsMin"] as const;

export function isUnindexed(filter: LedgerFilter): boolean {
  return UNINDEXED.some((name) => filter[name] !== undefined);
}

/** A weaker filter, without a source and fields that no index has. */
export function indexedPart({ source: _, failure, ...filter }: LedgerFilter): LedgerFilter {
  const indexed = Object.entries(filter).filter(([name]) => !(UNINDEXED as readonly string[]).includes(name));
  return { ...(failure !== undefined && { outcome: "failed" }), ...Object.fromEntries(indexed) };
}

function unindexedCondition(filter: LedgerFilter): SqlCondition {
  const { functionVersion, build, source, sourceVersion, failure, tookMsMin } = filter;
  const ofRunItself = all([
    ["(r.function_version = ?) IS TRUE", functionVersion],
    ["(r.build = ?) IS TRUE", build],
    ["(r.took_ms >= ?) IS TRUE", source === undefined ? tookMsMin : undefined],
  ]);
  const ofCall = all([
    ["v.source_version = ?", sourceVersion],
    ["v.fault_kind = ?", failure],
    ["v.took_ms >= ?", source === undefined ? undefined : tookMsMin],
  ]);
  if (ofCall.values.length === 0) return ofRunItself;
  const sameCall = [ofCall, all([["v.source = ?", source]]), outcomeCondition(filter, "v")].reduce(both);
  const calls = `SELECT 1 FROM ledger_calls AS v WHERE v.transaction_id = r.transaction_id AND ${sameCall.sql}`;
  return both(ofRunItself, { sql: `EXISTS (${calls} LIMIT 1 OFFSET 0)`, values: sameCall.values });
}

/** A call of the run has the outcome and the charge. */
function verdictCondition({ outcome, charged }: LedgerFilter): SqlCondition {
  if (outcome === undefined && charged === undefined) return { sql: "TRUE", values: [] };
  return { sql: `(r.verdicts & ${verdictMask({ outcome, charged })}) <> 0`, values: [] };
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
export function callCondition(filter: LedgerFilter, isText: IsText): SqlCondition {
  return both(all([[isText("l.source"), filter.source]]), outcomeCondition(filter, "l"));
}

function outcomeCondition({ outcome, charged }: LedgerFilter, alias: string): SqlCondition {
  const conditions: string[] = ["TRUE"];
  if (outcome !== undefined) conditions.push(ofOutcome(outcome, alias));
  if (charged !== undefined) conditions.push(`${alias}.charges IN (${chargesWith(charged).join(", ")})`);
  return { sql: conditions.join(" AND "), values: [] };
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
