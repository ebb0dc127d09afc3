import { DAY_MS } from "../../terms/time/durations.ts";
import { completeFrom, type HistoryStep, stepsOf, UNIT_MS } from "../history/sum-history.ts";
import { type CallOutcome, verdictMask } from "../journal/verdicts.ts";
import type { LedgerTables } from "../ports.ts";
import { FEW_RUNS, isByRequest, narrowest, type PageQuery, transactionsBetween } from "./find-runs.ts";
import {
  both,
  indexedPart,
  isUnindexed,
  type LedgerFilter,
  lineCondition,
  runCondition,
  type SqlCondition,
} from "./ledger-filter.ts";

/** Runs of a filter that started from `from` and before `to`, by time. */
export interface CountFilter extends LedgerFilter {
  readonly from: number;
  readonly to: number;
  readonly step: HistoryStep;
  /** Time zone of days. */
  readonly timeZone: string;
}

/** The first of these outcomes that a call of the run had. A run without recorded calls has `no_calls`. */
export type RunOutcome = CallOutcome | "no_calls";
export const RUN_OUTCOMES: readonly RunOutcome[] = ["failed", "unknown", "match", "no_match", "no_calls"];

export interface RunCount {
  /** The start of its step. */
  readonly at: number;
  readonly runs: Readonly<Record<RunOutcome, number>>;
}

export interface RunCounts {
  /** Runs that started earlier were not counted. `from` of the filter, unless there are very many runs. */
  readonly countedFrom: number;
  /** The time from which the ledger has all runs; `null` without runs. */
  readonly completeFrom: number | null;
  /** In order. Steps without runs are left out. */
  readonly points: readonly RunCount[];
}

/** The most runs that are read, newest first: from an index alone, or with their calls. */
export interface CountLimits {
  readonly indexed: number;
  readonly checked: number;
}

const LIMITS: CountLimits = { indexed: 1_000_000, checked: 50_000 };

/** Counts the runs that `listRuns` lists. */
export async function countRuns(
  tables: LedgerTables,
  filter: CountFilter,
  limits: CountLimits = LIMITS,
): Promise<RunCounts> {
  const { step, timeZone, ...selected } = filter;
  const pageQuery = await narrowest(tables, selected);
  const search = searchOf(tables, pageQuery);
  const limit = search.isIndexed ? limits.indexed : limits.checked;
  const isEmpty = pageQuery.few === 0;
  const cuts = isEmpty ? [] : [await cutOf(tables, search, 0, limit), await cutOf(tables, search, 1, limit)];
  const countedFrom = Math.max(filter.from, ...cuts);
  const unitMs = step === "day" && timeZone === "UTC" ? DAY_MS : UNIT_MS[step];
  const uncut = searchOf(tables, { ...pageQuery, filter: { ...pageQuery.filter, from: countedFrom } });
  const rows = isEmpty ? [] : await readCounts(tables, uncut, unitMs);
  return { countedFrom, completeFrom: await completeFrom(tables), points: toPoints(rows, stepsOf(filter)) };
}

/** How the runs of a filter are found, as `findPage` finds them. */
interface Search {
  /** The table of what is read, as `x`: runs, or calls of a source, of which a run may have several. */
  readonly from: string;
  /** The condition on what is read. */
  readonly candidates: SqlCondition;
  readonly order: string;
  /** The condition on runs, as `r`. */
  readonly fits: SqlCondition;
  /** Whether an index has all that is read. */
  readonly isIndexed: boolean;
}

function searchOf(tables: LedgerTables, { filter, few, by }: PageQuery): Search {
  const { isText, linesByTransaction } = tables;
  const isIndexed = filter.source === undefined && !isUnindexed(filter) && !isByRequest(filter);
  const isMany = few === FEW_RUNS && filter.transactionId === undefined;
  if (filter.source === undefined || !isMany || isUnindexed(filter) || isByRequest(filter)) {
    const candidates = runCondition(isIndexed ? filter : indexedPart(filter), isText, by);
    const fits = isIndexed ? candidates : both(candidates, runCondition(filter, isText, by));
    return { from: "ledger_runs AS r", candidates, order: "r.started_at", fits, isIndexed };
  }
  const { from, to, ...untimed } = filter;
  const candidates = linesByTransaction
    ? both(lineCondition(untimed, isText), transactionsBetween(filter))
    : lineCondition(filter, isText);
  const calls = `SELECT l.transaction_id FROM ledger_lines AS l WHERE ${candidates.sql} AND l.has_unknown IN (0, 1)`;
  return {
    from: "ledger_lines AS l",
    candidates,
    order: linesByTransaction ? "l.transaction_id" : "l.started_at",
    fits: both(
      { sql: "r.started_at >= ? AND r.started_at < ?", values: [from!, to!] },
      { sql: `r.transaction_id IN (${calls})`, values: candidates.values },
    ),
    isIndexed,
  };
}

/**
 * The time after the newest candidate that is not read; -Infinity if all are read. In an index, runs with unknown
 * charges are separate.
 */
async function cutOf(
  { query }: LedgerTables,
  { from, candidates, order }: Search,
  hasUnknown: 0 | 1,
  limit: number,
): Promise<number> {
  const alias = order[0]!;
  const [oldest] = await query<{ readonly started_at: number }>(
    `SELECT ${alias}.started_at FROM ${from} WHERE ${candidates.sql} AND ${alias}.has_unknown = ${hasUnknown}
     ORDER BY ${order} DESC LIMIT 1 OFFSET ${limit}`,
    candidates.values,
  );
  return oldest === undefined ? -Infinity : oldest.started_at + 1;
}

interface CountedRow {
  readonly at: number;
  readonly outcome: RunOutcome;
  readonly runs: number;
}

async function readCounts({ query }: LedgerTables, { fits }: Search, unitMs: number): Promise<readonly CountedRow[]> {
  // One whole number to group by costs much less than a time and a text.
  const key = `((r.started_at - r.started_at % ${unitMs}) * ${RUN_OUTCOMES.length} + ${OUTCOME_NUMBER})`;
  const rows = await query<{ readonly key: number; readonly runs: number }>(
    `SELECT ${key} AS key, CAST(count(*) AS bigint) AS runs FROM ledger_runs AS r
     WHERE r.has_unknown IN (0, 1) AND ${fits.sql} GROUP BY ${key}`,
    fits.values,
  );
  return rows.map(({ key: packed, runs }) => {
    const number = packed % RUN_OUTCOMES.length;
    return { at: (packed - number) / RUN_OUTCOMES.length, outcome: RUN_OUTCOMES[number]!, runs };
  });
}

const OUTCOME_NUMBER = `CASE ${RUN_OUTCOMES.flatMap((outcome, number) =>
  outcome === "no_calls" ? [] : [`WHEN (r.verdicts & ${verdictMask({ outcome })}) <> 0 THEN ${number}`],
).join(" ")} ELSE ${RUN_OUTCOMES.indexOf("no_calls")} END`;

function toPoints(rows: readonly CountedRow[], stepOf: (at: number) => number): readonly RunCount[] {
  const points = new Map<number, Record<RunOutcome, number>>();
  for (const { at, outcome, runs } of rows) {
    const step = stepOf(at);
    const counts = points.get(step) ?? { failed: 0, unknown: 0, match: 0, no_match: 0, no_calls: 0 };
    counts[outcome] += runs;
    points.set(step, counts);
  }
  return [...points].toSorted(([one], [other]) => one - other).map(([at, runs]) => ({ at, runs }));
}
