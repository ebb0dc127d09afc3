import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { COUNTS, SENT_WITHIN, sentWithin, type Spent, spentOf, type SummedRow, SUMS } from "./sum-requests.ts";

/** What spend is shown by. Days are days of UTC. */
export const SPEND_KEYS = ["org", "workflow", "source", "credential", "day"] as const;
/** What else it can be grouped by, to find the calls of an invoice: a line for each call, or for each run. */
export type SpendKey = (typeof SPEND_KEYS)[number] | "order" | "transaction";

/** Selects requests that were sent from `from` and before `to` (Unix ms); what is left out does not narrow it. */
export interface SpendFilter {
  readonly from: number;
  readonly to: number;
  readonly organizationId?: string;
  readonly workflowId?: string;
  readonly source?: string;
  readonly credentialId?: string;
  /** How many lines to make at most. */
  readonly linesMax?: number;
}

/** The requests of one group in one currency. */
export interface SpendLine extends Spent {
  /** An id, or a day such as `2026-03-31`. `null`: calls without a stored credential, or without an order. */
  readonly key: string | null;
  readonly requests: number;
  readonly charged_yes: number;
  readonly charged_no: number;
  readonly charged_unknown: number;
  /** Of an order: the runs that sent the first and the last of its requests. */
  readonly first_run?: string;
  readonly last_run?: string;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const KEY: Readonly<Record<SpendKey, string>> = {
  org: "x.organization_key",
  workflow: "x.workflow_key",
  source: "x.source_key",
  credential: "x.credential_key",
  day: `x.sent_at / ${DAY_MS}`,
  order: "x.order_id",
  transaction: "x.transaction_id",
};
/** The keys that are not made into a text. */
const PLAIN: ReadonlySet<SpendKey> = new Set(["day", "order", "transaction"]);
/** An id begins with the time when its run started. */
const RUNS = "min(x.transaction_id) AS first_run, max(x.transaction_id) AS last_run";

/** Sums up what was sent, group by group and currency by currency. Simulated runs are left out. */
export async function sumSpend(
  { query, requests, textOf, isKey }: LedgerTables,
  by: SpendKey,
  filter: SpendFilter,
): Promise<readonly SpendLine[]> {
  const { sql, values } = spendCondition(filter, isKey);
  const isOrder = by === "order";
  const byKeys = `
    SELECT ${KEY[by]} AS spend_key, x.currency_key, ${COUNTS}, ${SUMS}${isOrder ? `, ${RUNS}` : ""}
    FROM ${requests} AS x WHERE ${sql} GROUP BY ${KEY[by]}, x.currency_key`;
  const key = PLAIN.has(by) ? "k.spend_key" : textOf("k.spend_key");
  const rows = await query<SummedRow & Omit<SpendLine, keyof Spent | "key"> & { readonly key: string | number | null }>(
    `SELECT * FROM (
       SELECT ${key} AS key, ${textOf("k.currency_key")} AS currency, k.requests, k.charged_yes, k.charged_no,
         k.charged_unknown, k.unpriced, k.least, k.most${isOrder ? ", k.first_run, k.last_run" : ""}
       FROM (${byKeys}) AS k) AS s
     ORDER BY s.key, coalesce(s.currency, '') ${filter.linesMax === undefined ? "" : `LIMIT ${Math.trunc(filter.linesMax)}`}`,
    values,
  );
  return rows.map((row) => ({ ...spentOf(row), key: typeof row.key === "number" ? dayOf(row.key) : row.key }));
}

function dayOf(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The filter as a condition on a row `x` of `LedgerTables.requests`. */
function spendCondition(filter: SpendFilter, isKey: LedgerTables["isKey"]) {
  const wanted = [
    ["x.organization_key", filter.organizationId],
    ["x.workflow_key", filter.workflowId],
    ["x.source_key", filter.source],
    ["x.credential_key", filter.credentialId],
  ] as const;
  const given = wanted.filter((one): one is readonly [(typeof one)[0], string] => one[1] !== undefined);
  return {
    sql: [SENT_WITHIN, ...given.map(([key]) => isKey(key))].join(" AND "),
    values: [...sentWithin(filter.from, filter.to), ...given.map(([, value]) => toStored(value))],
  };
}
