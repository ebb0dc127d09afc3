import type { LedgerTables } from "../ports.ts";
import { toStored } from "../stored-text.ts";
import { hasSent, outcomeOf } from "../journal/verdicts.ts";
import { type OutcomeLabel, failureLabelOf } from "../../terms/counted-end.ts";
import { firstIdAt } from "../../terms/ids.ts";

/** The possible groups of activity. */
export const ACTIVITY_KEYS = ["source", "credential"] as const;

/** Selects calls of runs that started from `from` and before `to` (Unix ms). */
export interface ActivityFilter {
  readonly by: (typeof ACTIVITY_KEYS)[number];
  readonly from: number;
  readonly to: number;
  /** Every source if absent. */
  readonly source?: string;
  /** Maximum number of calls per source, the newest ones, so that the cost does not grow with the ledger. */
  readonly newest?: number;
}

/** Outcomes and durations of the calls of a source, or of a source with one credential. */
export interface ActivityLine {
  readonly source: string;
  /** `null`: calls without a stored credential, or all calls. */
  readonly credentialId: string | null;
  /** `unknown`: the outcome was lost, because the service died. */
  readonly outcomes: Readonly<Record<OutcomeLabel | "unknown", number>>;
  /** Number of failed calls by fault, the most frequent fault first. */
  readonly faults: readonly { readonly code: string; readonly calls: number }[];
  /**
   * Median and 99th percentile of durations, without calls that failed before a request was sent. `null` if no other
   * call is left.
   */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** Start of the counted time: later than the filter's `from` if there were more calls than the maximum. */
  readonly countedFrom: number;
  /** Whether all calls of the filter's time are counted. */
  readonly isComplete: boolean;
  /** Start of the newest run with such a call, and the call's outcome or fault. */
  readonly lastAt: number;
  readonly last: string;
}

/** The maximum per source, also if the filter has one source. */
export const NEWEST_OF_EACH = 200;
export const NEWEST_OF_ONE = 2_000;
/** Existing and former sources. */
const SOURCES_MAX = 1_000;

interface CallFigures {
  readonly started_at: number;
  readonly simulated: 0 | 1;
  readonly success: 0 | 1 | null;
  readonly match: 0 | 1 | null;
  readonly took_ms: number | null;
  readonly charges: number;
  readonly fault: string | null;
  readonly credential: string | null;
}

/** Simulated runs are left out: their outcomes and times say nothing about vendors. */
export async function sumActivity(tables: LedgerTables, filter: ActivityFilter): Promise<readonly ActivityLine[]> {
  const lines: ActivityLine[] = [];
  const sources = await (filter.source === undefined ? everySource(tables) : keyOf(tables, toStored(filter.source)));
  for (const found of sources) {
    const { newest = filter.source === undefined ? NEWEST_OF_EACH : NEWEST_OF_ONE } = filter;
    // One more than the maximum shows whether there are more.
    const atMost = await newestCalls(tables, found.key, { ...filter, newest: newest + 1 });
    const isComplete = atMost.length <= newest;
    const calls = atMost.slice(0, newest);
    const countedFrom = isComplete ? filter.from : Math.max(filter.from, calls.at(-1)!.started_at);
    const real = calls.filter(({ simulated }) => simulated === 0);
    const groups = Map.groupBy(real, ({ credential }) => (filter.by === "source" ? null : credential));
    for (const [credentialId, own] of groups)
      lines.push(toLine(found.source, credentialId, { countedFrom, isComplete }, own));
  }
  return lines.toSorted((one, other) => (one.source < other.source ? -1 : one.source > other.source ? 1 : 0));
}

interface FoundSource {
  /** The key in the table of calls. */
  readonly key: string | number;
  readonly source: string;
}

function keyOf({ query, calls, isKey, textOf }: LedgerTables, source: string): Promise<readonly FoundSource[]> {
  return query<FoundSource>(
    `SELECT x.source_key AS key, ${textOf("x.source_key")} AS source FROM ${calls} AS x
     WHERE ${isKey("x.source_key")} LIMIT 1`,
    [source],
  );
}

/** Steps through an index from source to source, without reading the entries between them. */
function everySource({ query, calls, textOf }: LedgerTables): Promise<readonly FoundSource[]> {
  const next = (condition: string) =>
    `(SELECT x.source_key FROM ${calls} AS x ${condition} ORDER BY x.source_key LIMIT 1)`;
  return query<FoundSource>(
    `WITH RECURSIVE s(key) AS (
       SELECT ${next("")} UNION ALL SELECT ${next("WHERE x.source_key > s.key")} FROM s WHERE s.key IS NOT NULL)
     SELECT s.key, ${textOf("s.key")} AS source FROM s WHERE s.key IS NOT NULL LIMIT ${SOURCES_MAX}`,
  );
}

/** Newest first. */
async function newestCalls(
  { query, calls, textOf, linesByTransaction }: LedgerTables,
  key: string | number,
  { from, to, newest }: Required<Pick<ActivityFilter, "from" | "to" | "newest">>,
): Promise<readonly CallFigures[]> {
  const select = (condition: string, order: string) =>
    `SELECT x.started_at, x.simulated, x.success, x.match, x.took_ms, x.charges, ${textOf("x.fault_key")} AS fault,
       ${textOf("x.credential_key")} AS credential
     FROM ${calls} AS x WHERE x.source_key = ? AND ${condition} ORDER BY ${order} DESC LIMIT ?`;
  if (linesByTransaction) {
    // On both sides of the join, so that each index scan begins at the right position.
    const ids = ["x.transaction_id", "x.run_transaction_id"];
    const between = ids.map((id) => `${id} >= ? AND ${id} < ?`).join(" AND ");
    const bounds = [firstIdAt("transaction", from), firstIdAt("transaction", to)];
    return query<CallFigures>(select(between, "x.transaction_id"), [key, ...bounds, ...bounds, newest]);
  }
  // In the journal's index, runs with unknown charges are separate from the others.
  const sql = select("x.has_unknown = ? AND x.started_at >= ? AND x.started_at < ?", "x.started_at");
  const parts = [0, 1].map((unknown) => query<CallFigures>(sql, [key, unknown, from, to, newest]));
  const found = (await Promise.all(parts)).flat();
  return found.toSorted((one, other) => other.started_at - one.started_at).slice(0, newest);
}

/** @param calls at least one, newest first */
function toLine(
  source: string,
  credentialId: string | null,
  counted: Pick<ActivityLine, "countedFrom" | "isComplete">,
  calls: readonly CallFigures[],
): ActivityLine {
  const outcomes = { match: 0, no_match: 0, failed: 0, rejected: 0, no_credential: 0, unknown: 0 };
  const faults = new Map<string, number>();
  for (const call of calls) {
    outcomes[endOf(call)] += 1;
    if (call.fault !== null) faults.set(call.fault, (faults.get(call.fault) ?? 0) + 1);
  }
  const newest = calls[0]!;
  return {
    source,
    credentialId,
    outcomes,
    faults: [...faults].map(([code, count]) => ({ code, calls: count })).toSorted((a, b) => b.calls - a.calls),
    ...percentilesOf(calls.filter(({ charges, success }) => hasSent(charges) || success === 1)),
    ...counted,
    lastAt: newest.started_at,
    last: newest.fault ?? outcomeOf(newest),
  };
}

function endOf(call: CallFigures): OutcomeLabel | "unknown" {
  const outcome = outcomeOf(call);
  return outcome === "failed" && call.fault !== null ? failureLabelOf(call.fault) : outcome;
}

/** Percentiles of known durations. */
export function percentilesOf(
  timed: readonly { readonly took_ms: number | null }[],
): Pick<ActivityLine, "p50Ms" | "p99Ms"> {
  const times = timed.flatMap(({ took_ms: ms }) => (ms === null ? [] : [ms])).toSorted((a, b) => a - b);
  return { p50Ms: percentile(times, 0.5), p99Ms: percentile(times, 0.99) };
}

function percentile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.ceil(share * sorted.length) - 1] ?? null;
}
