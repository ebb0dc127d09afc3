import type { Charged } from "../terms/fault.ts";
import type { CallOutcome } from "./call-outcome.ts";
import { toStored } from "./stored-text.ts";

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
  match: "c.success = 1 AND c.match = 1",
  no_match: "c.success = 1 AND c.match = 0",
  failed: "c.success = 0",
  unknown: "c.success IS NULL",
};

const chargedRequest = (charged: string): string =>
  `EXISTS (SELECT 1 FROM ledger_attempts AS a
     WHERE a.transaction_id = c.transaction_id AND a.ordinal = c.ordinal AND a.charged = '${charged}')`;

/** What is unknown is marked on its run as well, by which it is found at once. */
const OF_CHARGE: { readonly [charged in Charged]: string } = {
  yes: chargedRequest("yes"),
  no: chargedRequest("no"),
  unknown: `r.has_unknown = 1 AND EXISTS (SELECT 1 FROM ledger_unsettled AS u
     WHERE u.transaction_id = c.transaction_id AND u.ordinal = c.ordinal)`,
};

/** The filter as a condition on `ledger_runs AS r`. */
export function toCondition(filter: LedgerFilter): Condition {
  const parts: string[] = [];
  const values: (string | number)[] = [];
  const add = (sql: string, value: string | number | undefined): void => {
    if (value === undefined) return;
    parts.push(sql);
    values.push(typeof value === "string" ? toStored(value) : value);
  };
  add("r.transaction_id = ?", filter.transactionId);
  add("r.started_at >= ?", filter.from);
  add("r.started_at < ?", filter.to);
  add("r.organization_id = ?", filter.organizationId);
  add("r.workflow_id = ?", filter.workflowId);
  const call = toCallCondition(filter);
  if (call !== null) {
    parts.push(`EXISTS (SELECT 1 FROM ledger_calls AS c WHERE c.transaction_id = r.transaction_id AND ${call.sql})`);
    values.push(...call.values);
  }
  return { sql: parts.length === 0 ? "TRUE" : parts.join(" AND "), values };
}

function toCallCondition({ source, outcome, charged }: LedgerFilter): Condition | null {
  const parts: string[] = [];
  const values: string[] = [];
  if (source !== undefined) {
    parts.push("c.source = ?");
    values.push(toStored(source));
  }
  if (charged !== undefined) parts.push(OF_CHARGE[charged]);
  if (outcome !== undefined) parts.push(OF_OUTCOME[outcome]);
  return parts.length === 0 ? null : { sql: parts.join(" AND "), values };
}
