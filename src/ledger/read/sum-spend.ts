import type { OnProgress } from "../../terms/on-progress.ts";
import type { LedgerTables } from "../ports.ts";
import { vendorOf } from "../../terms/ids.ts";
import { toStored } from "../stored-text.ts";
import { dayOfZone, type RequestKey, type TotalKey } from "../totals/group-requests.ts";
import type { TimeSpan } from "../../terms/time/calendar.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import { sumRequests } from "../totals/sum-requests.ts";
import { type Spent, spentOf, type SummedRow } from "./spent.ts";

/** The possible groups of spend. */
export const SPEND_KEYS = ["org", "workflow", "vendor", "source", "credential", "day"] as const;
/** Further groups, to find the calls of an invoice: a line for each call, or for each run. */
export type SpendKey = (typeof SPEND_KEYS)[number] | "order" | "transaction";

/**
 * Selects requests that were sent from `from` and before `to` (Unix ms). An absent field does not narrow the selection.
 */
export interface SpendFilter {
  readonly from: number;
  readonly to: number;
  readonly organizationId?: string;
  readonly workflowId?: string;
  readonly source?: string;
  readonly credentialId?: string;
  /** Time zone of the days, for spend by day; UTC by default. */
  readonly timeZone?: string;
  /** Maximum number of lines. */
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
  /** For an order: the runs that sent the first and the last of its requests. */
  readonly first_run?: string;
  readonly last_run?: string;
}

const KEY: Readonly<Record<SpendKey, RequestKey>> = {
  org: "organization_key",
  workflow: "workflow_key",
  vendor: "source_key",
  source: "source_key",
  credential: "credential_key",
  day: "sent_day",
  order: "order_id",
  transaction: "transaction_id",
};
/** Keys that need no conversion to a text. */
const PLAIN: ReadonlySet<SpendKey> = new Set(["day", "order", "transaction"]);

/** Sums up sent requests, by group and currency. Simulated runs are left out. */
export async function sumSpend(
  tables: LedgerTables,
  by: SpendKey,
  { from, to, linesMax, timeZone = "UTC", ...filter }: SpendFilter,
  onProgress?: OnProgress,
): Promise<readonly SpendLine[]> {
  const { textOf } = tables;
  const isOrder = by === "order";
  const isOfZone = by === "day" && timeZone !== "UTC";
  const sent = isOfZone ? await boundsOf(tables, { from, to }) : { from, to };
  if (sent.from >= sent.to) return [];
  const requestKey = isOfZone ? "zone_day" : KEY[by];
  const key = PLAIN.has(by) ? `k.${requestKey}` : textOf(`k.${requestKey}`);
  const rows = await sumRequests<
    SummedRow & Omit<SpendLine, keyof Spent | "key"> & { readonly key: string | number | null }
  >(
    tables,
    {
      keys: [requestKey, "currency_key"],
      sent,
      only: keyFilterOf(filter),
      withRuns: isOrder,
      ...(isOfZone && { zoneDay: dayOfZone(sent, timeZone) }),
    },
    {
      select: (groups) =>
        `SELECT ${key} AS key, ${textOf("k.currency_key")} AS currency, k.requests, k.charged_yes, k.charged_no,
           k.charged_unknown, k.unpriced, k.least, k.most${isOrder ? ", k.first_run, k.last_run" : ""}
         FROM (${groups}) AS k`,
      orderBy: "s.key, coalesce(s.currency, '')",
      linesMax,
    },
    onProgress,
  );
  const lines = rows.map((row) => ({
    ...spentOf(row),
    key: typeof row.key === "number" ? dayText(row.key) : row.key,
  }));
  return by === "vendor" ? addedByVendor(lines) : lines;
}

/** Adds up the lines of each vendor's sources. They are few, so the totals need no column for it. */
function addedByVendor(lines: readonly SpendLine[]): readonly SpendLine[] {
  const sums = new Map<string, SpendLine>();
  for (const line of lines) {
    const vendor = vendorOf(line.key ?? "");
    const key = `${vendor} ${line.currency ?? ""}`;
    const sum = sums.get(key);
    sums.set(key, sum === undefined ? { ...line, key: vendor } : added(sum, line));
  }
  return [...sums].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, sum]) => sum);
}

function added(one: SpendLine, other: SpendLine): SpendLine {
  return {
    key: one.key,
    currency: one.currency,
    requests: one.requests + other.requests,
    charged_yes: one.charged_yes + other.charged_yes,
    charged_no: one.charged_no + other.charged_no,
    charged_unknown: one.charged_unknown + other.charged_unknown,
    unpriced: one.unpriced + other.unpriced,
    least: one.least + other.least,
    most: one.most + other.most,
  };
}

/** The part of a time that has runs, since its days are counted one by one. */
async function boundsOf({ query }: LedgerTables, { from, to }: TimeSpan): Promise<TimeSpan> {
  const [runs] = await query<{ readonly first: number | null; readonly last: number | null }>(
    `SELECT (SELECT min(r.started_at) FROM ledger_runs AS r WHERE r.started_at >= ?) AS first,
       (SELECT max(r.started_at) FROM ledger_runs AS r WHERE r.started_at < ?) AS last`,
    [from - DAY_MS, to + DAY_MS],
  );
  const { first, last } = runs!;
  if (first === null || last === null) return { from, to: from };
  // No run takes longer than a day. A clock that is set back during a run dates its requests before its start.
  return { from: Math.max(from, first - DAY_MS), to: Math.min(to, last + 2 * DAY_MS) };
}

function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

type KeyFilter = readonly (readonly [TotalKey, string])[];

/** The keys by which a filter narrows requests. */
export function keyFilterOf(filter: Omit<SpendFilter, "from" | "to" | "linesMax">): KeyFilter {
  const wanted = [
    ["organization_key", filter.organizationId],
    ["workflow_key", filter.workflowId],
    ["source_key", filter.source],
    ["credential_key", filter.credentialId],
  ] as const;
  return wanted.flatMap(([key, text]) => (text === undefined ? [] : [[key, toStored(text)] as const]));
}
