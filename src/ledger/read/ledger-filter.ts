import type { Charged } from "../../terms/fault.ts";
import { chargesWith, verdictMask, type CallOutcome } from "../journal/verdicts.ts";
import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";

/**
 * Which runs are meant. What is left out does not narrow. `source` and `outcome` speak of one and the same call, and
 * `charged` of a request of it.
 */
export interface LedgerFilter {
  readonly transactionId?: string;
  /** Start of the run, milliseconds since 1970: from this moment on. */
  readonly from?: number;
  /** Before this moment. */
  readonly to?: number;
  readonly organizationId?: string;
  readonly workflowId?: string;
  readonly source?: string;
  readonly outcome?: CallOutcome;
  readonly charged?: Charged;
}

export interface Condition {
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

/** The filter as a condition on `ledger_runs AS r`. */
export function runCondition(filter: LedgerFilter, isText: IsText): Condition {
  const of = ofRun(filter, isText, "r");
  if (filter.source !== undefined) {
    // Of a run that is looked at already: its few calls, and not all of the source's.
    const call = callCondition(filter, (column) => `(${isText(column)}) IS TRUE`);
    const lines = `SELECT 1 FROM ledger_lines AS l WHERE l.transaction_id = r.transaction_id AND ${call.sql}`;
    return both(of, { sql: `EXISTS (${lines})`, values: call.values });
  }
  const { outcome, charged } = filter;
  if (outcome === undefined && charged === undefined) return of;
  const mask = verdictMask({ ...(outcome !== undefined && { outcome }), ...(charged !== undefined && { charged }) });
  return both(of, { sql: `(r.verdicts & ${mask}) <> 0`, values: [] });
}

/** The filter as a condition on `ledger_lines AS l`: a run is meant when one of its lines is. */
export function lineCondition(filter: LedgerFilter, isText: IsText): Condition {
  return both(callCondition(filter, isText), ofRun(filter, isText, "l"));
}

function ofRun(filter: LedgerFilter, isText: IsText, alias: string): Condition {
  const { transactionId, from, to, organizationId, workflowId } = filter;
  const ofOrganization = isText(`${alias}.organization_id`);
  return all([
    [`${alias}.transaction_id = ?`, transactionId],
    [`${alias}.started_at >= ?`, from],
    [`${alias}.started_at < ?`, to],
    // A workflow has one organization, so where one is given it alone chooses the index.
    [workflowId === undefined ? ofOrganization : `(${ofOrganization}) IS TRUE`, organizationId],
    [isText(`${alias}.workflow_id`), workflowId],
  ]);
}

/** What it asks of a call, as a condition on `ledger_lines AS l`. */
export function callCondition({ source, outcome, charged }: LedgerFilter, isText: IsText): Condition {
  const parts = [all([[isText("l.source"), source]])];
  if (outcome !== undefined) parts.push({ sql: OF_OUTCOME[outcome], values: [] });
  if (charged !== undefined) parts.push({ sql: `l.charges IN (${chargesWith(charged).join(", ")})`, values: [] });
  return parts.reduce(both);
}

/** Those of which a value was given. */
function all(parts: readonly (readonly [sql: string, value: string | number | undefined])[]): Condition {
  const given = parts.filter(([, value]) => value !== undefined);
  return {
    sql: given.length === 0 ? "TRUE" : given.map(([sql]) => sql).join(" AND "),
    values: given.map(([, value]) => (typeof value === "string" ? toStored(value) : value!)),
  };
}

function both(one: Condition, other: Condition): Condition {
  return { sql: `${one.sql} AND ${other.sql}`, values: [...one.values, ...other.values] };
}
