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

const LIMITS: CountLimits = { indexed: 1_000_000, checked: 100_000 };

/** Counts the runs that `listRuns` lists. */
export async function countRuns(
  tables: LedgerTables,
  filter: CountFilter,
  limits: CountLimits = LIMITS,
): Promise<RunCounts> {
  const { step, timeZone, ...selected } = filter;
  const pageQuery = await narrowest(tables, selected);
  let countedFrom = filter.from;
  let rows: readonly CountedRow[] = [];
  while (pageQuery.few > 0) {
    const asked = { ...pageQuery, filter: { ...pageQuery.filter, from: countedFrom } };
    const kinds = [
      await countKind(tables, asked, true, UNIT_MS[step], limits),
      await countKind(tables, asked, false, UNIT_MS[step], limits),
    ];
    rows = kinds.flatMap((kind) => kind.rows);
    const cuts = kinds.flatMap(({ cutAt }) => (cutAt === null ? [] : [cutAt]));
    if (cuts.length === 0) break;
    // Both kinds are counted from the same time on.
    countedFrom = Math.max(...cuts) + 1;
  }
  return {
    countedFrom,
    completeFrom: await completeFrom(tables),
    points: toPoints(rows, stepsOf(filter)),
  };
}

interface CountedRow {
  readonly at: number;
  readonly outcome: RunOutcome;
  readonly runs: number;
  readonly examined: number;
  readonly first: number;
}

interface CountedKind {
  readonly rows: readonly CountedRow[];
  /** The start of the oldest run that was read, if there may be older ones. */
  readonly cutAt: number | null;
}

/** Counts runs with unknown charges, or those without, found as `findPage` finds them. */
async function countKind(
  tables: LedgerTables,
  { filter, few, by }: PageQuery,
  unknown: boolean,
  unitMs: number,
  limits: CountLimits,
): Promise<CountedKind> {
  const { isText, query } = tables;
  const hasUnknown = unknown ? 1 : 0;
  const isMany = few === FEW_RUNS && filter.transactionId === undefined;
  const byCalls = filter.source !== undefined && isMany && !isUnindexed(filter) && !isByRequest(filter);
  const isIndexed = filter.source === undefined && !isUnindexed(filter) && !isByRequest(filter);
  const limit = isIndexed ? limits.indexed : limits.checked;
  const ofIndex = runCondition(isIndexed ? filter : indexedPart(filter), isText, by);
  const { sql, values } = byCalls
    ? runsOfCalls(tables, filter, hasUnknown, limit)
    : runsOf(ofIndex, isIndexed ? ANY : runCondition(filter, isText, by), hasUnknown, limit);
  const at = `x.started_at - x.started_at % ${unitMs}`;
  const rows = await query<CountedRow>(
    `SELECT ${at} AS at, ${OUTCOME} AS outcome, CAST(sum(x.fits) AS bigint) AS runs,
       CAST(sum(x.examined) AS bigint) AS examined, min(x.started_at) AS first
     FROM (${sql}) AS x GROUP BY ${at}, ${OUTCOME}`,
    values,
  );
  const examined = rows.reduce((sum, row) => sum + row.examined, 0);
  return { rows, cutAt: examined < limit ? null : Math.min(...rows.map(({ first }) => first)) };
}

const ANY: SqlCondition = { sql: "TRUE", values: [] };

const OUTCOME = `CASE ${RUN_OUTCOMES.filter((outcome) => outcome !== "no_calls")
  .map((outcome) => `WHEN (x.verdicts & ${verdictMask({ outcome })}) <> 0 THEN '${outcome}'`)
  .join(" ")} ELSE 'no_calls' END`;

/** The newest runs of an index, and whether they fit. */
function runsOf(ofIndex: SqlCondition, fits: SqlCondition, hasUnknown: 0 | 1, limit: number): SqlCondition {
  return {
    sql: `SELECT r.started_at, r.verdicts, CASE WHEN ${fits.sql} THEN 1 ELSE 0 END AS fits, 1 AS examined
      FROM ledger_runs AS r WHERE ${ofIndex.sql} AND r.has_unknown = ${hasUnknown}
      ORDER BY r.started_at DESC LIMIT ${limit}`,
    values: [...fits.values, ...ofIndex.values],
  };
}

/** The runs of the newest calls of a source. A run may have several of them. */
function runsOfCalls(
  { isText, linesByTransaction }: LedgerTables,
  filter: LedgerFilter,
  hasUnknown: 0 | 1,
  limit: number,
): SqlCondition {
  const { from, to, ...untimed } = filter;
  const ofCalls = linesByTransaction
    ? both(lineCondition(untimed, isText), transactionsBetween(filter))
    : lineCondition(filter, isText);
  return {
    sql: `SELECT r.started_at, r.verdicts, CASE WHEN r.started_at >= ? AND r.started_at < ? THEN 1 ELSE 0 END AS fits,
        c.calls AS examined
      FROM (SELECT n.transaction_id, count(*) AS calls FROM (
          SELECT l.transaction_id FROM ledger_lines AS l WHERE ${ofCalls.sql} AND l.has_unknown = ${hasUnknown}
          ORDER BY l.${linesByTransaction ? "transaction_id" : "started_at"} DESC LIMIT ${limit}) AS n
        GROUP BY n.transaction_id) AS c
      JOIN ledger_runs AS r ON r.transaction_id = c.transaction_id`,
    values: [from!, to!, ...ofCalls.values],
  };
}

function toPoints(rows: readonly CountedRow[], stepOf: (at: number) => number): readonly RunCount[] {
  const points = new Map<number, Record<RunOutcome, number>>();
  for (const { at, outcome, runs } of rows) {
    if (runs === 0) continue;
    const step = stepOf(at);
    const counts = points.get(step) ?? { failed: 0, unknown: 0, match: 0, no_match: 0, no_calls: 0 };
    counts[outcome] += runs;
    points.set(step, counts);
  }
  return [...points].toSorted(([one], [other]) => one - other).map(([at, runs]) => ({ at, runs }));
}
