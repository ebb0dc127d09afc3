import type { TimeSpan } from "../../terms/time/calendar.ts";
import { failureLabelOf } from "../../terms/counted-end.ts";
import { amountFromSum } from "../../terms/money/money.ts";
import { NOTHING_SENT, hasSentSql, outcomeOf } from "../journal/verdicts.ts";
import type { LedgerTables } from "../ports.ts";
import type { SqlStatement } from "../totals/group-requests.ts";
import { bucketOf } from "./durations.ts";
import { addAmounts, addDurations, addEnds, type Figures } from "./figures.ts";
import type { HistoryKey, HistoryUnit } from "./groupings.ts";

/*
 * The statements that group ended calls or runs, and the requests of calls, by keys and time. Simulated runs are left
 * out: their outcomes and durations say nothing about vendors.
 */

/** A required text of a key, or of its beginning. */
export interface KeyCondition {
  readonly key: HistoryKey;
  readonly text: string;
  readonly isPrefix?: boolean;
}

export function conditionOf({ isKey, isPrefixed }: LedgerTables, { key, isPrefix = false }: KeyCondition): string {
  // The ids of functions are texts in every ledger.
  if (key === "function_key") return "x.function_key = ?";
  return isPrefix ? isPrefixed(`x.${key}`) : isKey(`x.${key}`);
}

/** A group's keys are columns of their names. Other columns belong to one of two kinds of rows: endings, or amounts. */
export interface GroupedRow {
  /** The start of the group's unit of time. */
  readonly at: number;
  readonly fault: string | null;
  readonly success: 0 | 1 | null;
  readonly match: 0 | 1 | null;
  readonly bucket: number | null;
  /** Number of calls or runs; null in a row of amounts. */
  readonly ends: number | null;
  readonly ms: number | null;
  readonly currency: string | null;
  readonly unpriced: number | null;
  readonly least: string | null;
  readonly most: string | null;
}

export interface GroupedQuery {
  readonly unit: HistoryUnit;
  readonly keys: readonly HistoryKey[];
  readonly only: readonly KeyCondition[];
  /** The length of a group's unit of time, by which `at` is rounded down. */
  readonly unitMs: number;
}

/** The columns of endings, by unit. */
const ENDS = {
  call: { success: "x.success", match: "x.match", isTimed: `(${hasSentSql("x.charges")} OR x.success = 1)` },
  run: {
    success: "CASE WHEN x.is_lost = 1 THEN NULL WHEN x.fault_key IS NULL THEN 1 ELSE 0 END",
    match: "CASE WHEN x.fault_key IS NULL THEN 1 ELSE 0 END",
    // A run with only rejected calls is as fast as a rejection.
    isTimed: `NOT (x.fault_key IS NULL AND x.verdicts = ${NOTHING_SENT})`,
  },
} as const;

/** Statements whose rows together are the groups of runs that started in this interval. */
export function groupedRows(
  tables: LedgerTables,
  { unit, keys, only, unitMs }: GroupedQuery,
  started: TimeSpan,
): readonly SqlStatement[] {
  const { success, match, isTimed } = ENDS[unit];
  const at = `x.started_at - x.started_at % ${unitMs}`;
  const named = keys.map((key) => `, x.${key} AS ${key}`).join("");
  const own = keys.map((key) => `, g.${key}`).join("");
  const groupBy = (more: readonly string[]): string => [at, ...keys.map((key) => `x.${key}`), ...more].join(", ");
  const where = [
    "x.simulated = 0 AND x.started_at >= ? AND x.started_at < ?",
    ...only.map((one) => conditionOf(tables, one)),
    // Only runs of functions have a function.
    ...(unit === "run" && !keys.includes("token_key") ? ["x.function_key IS NOT NULL"] : []),
  ].join(" AND ");
  const values = [started.from, started.to, ...only.map(({ text }) => text)];
  const bucket = `CASE WHEN ${isTimed} THEN ${bucketOf("x.took_ms")} END`;
  const ends = {
    sql: `SELECT g.at${own}, ${tables.textOf("g.fault_key")} AS fault, g.success, g.match, g.bucket, g.ends, g.ms,
        CAST(NULL AS text) AS currency, CAST(NULL AS bigint) AS unpriced, CAST(NULL AS text) AS least,
        CAST(NULL AS text) AS most
      FROM (SELECT ${at} AS at${named}, x.fault_key, ${success} AS success, ${match} AS match, ${bucket} AS bucket,
          CAST(count(*) AS bigint) AS ends, CAST(sum(CASE WHEN ${isTimed} THEN x.took_ms END) AS bigint) AS ms
        FROM ${unit === "call" ? tables.endedCalls : tables.endedRuns} AS x WHERE ${where}
        GROUP BY ${groupBy(["x.fault_key", success, match, bucket])}) AS g`,
    values,
  };
  if (unit === "run") return [ends];
  const sumOf = (condition: string): string =>
    `CAST(coalesce(sum(CASE WHEN ${condition} THEN x.price END), 0) AS text)`;
  const amounts = {
    sql: `SELECT g.at${own}, CAST(NULL AS text) AS fault, CAST(NULL AS bigint) AS success, CAST(NULL AS bigint) AS match,
        CAST(NULL AS bigint) AS bucket, CAST(NULL AS bigint) AS ends, CAST(NULL AS bigint) AS ms,
        ${tables.textOf("g.currency_key")} AS currency, g.unpriced, g.least, g.most
      FROM (SELECT ${at} AS at${named}, x.currency_key,
          CAST(count(CASE WHEN x.charged <> 'no' AND x.price IS NULL THEN 1 END) AS bigint) AS unpriced,
          ${sumOf("x.charged = 'yes'")} AS least, ${sumOf("x.charged <> 'no'")} AS most
        FROM ${tables.requests} AS x WHERE ${where} GROUP BY ${groupBy(["x.currency_key"])}) AS g`,
    values,
  };
  return [ends, amounts];
}

export function addRow(figures: Figures, unit: HistoryUnit, row: GroupedRow): void {
  if (row.ends === null) {
    if (row.currency !== null) addAmounts(figures, row.currency, amountFromSum(row.least!), amountFromSum(row.most!));
    figures.unpriced += row.unpriced!;
    return;
  }
  const end = endOf(row);
  addEnds(figures, end, row.ends);
  // The durations of rejected runs would distort those of the function.
  if (row.bucket === null || (unit === "run" && row.success === 0 && failureLabelOf(end) !== "failed")) return;
  addDurations(figures, row.bucket, row.ends);
  figures.sumMs += row.ms ?? 0;
}

function endOf({ fault, success, match }: GroupedRow): string {
  const outcome = outcomeOf({ success, match });
  return outcome === "failed" && fault !== null ? fault : outcome;
}
