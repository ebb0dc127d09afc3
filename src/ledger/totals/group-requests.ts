import { daysIn, type TimeSpan } from "../../terms/time/calendar.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import type { LedgerTables } from "../ports.ts";
import { type TotalsCover, dayOf, withoutTotals } from "./spans.ts";

/*
 * The statements that group requests: from the totals of spans, and from the requests themselves where there are no
 * totals.
 */

/** The keys of totals. */
export const TOTAL_KEYS = [
  "sent_day",
  "source_key",
  "organization_key",
  "workflow_key",
  "credential_key",
  "rule_key",
  "currency_key",
] as const;
export type TotalKey = (typeof TOTAL_KEYS)[number];
/** Keys that only requests have. */
export type RequestKey = TotalKey | "zone_day" | "order_id" | "transaction_id";

/** Expressions over `x`, a row of `LedgerTables.requests`. `/` rounds towards zero, and a day may be before 1970. */
const IN_REQUEST: Partial<Record<RequestKey, string>> = {
  sent_day: `(x.sent_at - (x.sent_at % ${DAY_MS} + ${DAY_MS}) % ${DAY_MS}) / ${DAY_MS}`,
  // A stored credential identifies the group, however it was chosen.
  rule_key: "CASE WHEN x.credential_key IS NULL THEN x.rule_key END",
};

/**
 * The day of a time zone on which a request was sent, counted from 1970, valid for times within `sent`. Days between
 * two clock changes share one expression.
 */
export function dayOfZone(sent: TimeSpan, timeZone: string): string {
  const series: { readonly from: number; to: number; readonly first: number; readonly isWhole: boolean }[] = [];
  for (const { day, from, to } of daysIn(sent, timeZone)) {
    const [last, number] = [series.at(-1), Date.parse(day) / DAY_MS];
    const isWhole = to - from === DAY_MS;
    const isNext = last?.isWhole === true && isWhole && number - last.first === (from - last.from) / DAY_MS;
    if (isNext) last.to = to;
    else series.push({ from, to, first: number, isWhole });
  }
  const numbers = series.map(({ from, first, isWhole }) =>
    isWhole
      ? `(${first} + (x.sent_at - ${from}) / ${DAY_MS})` // GROUP BY would read a plain number as a column's position.
      : `(${first} + 0 * x.sent_at)`,
  );
  if (numbers.length === 1) return numbers[0]!;
  const branches = numbers.slice(0, -1).map((number, at) => `WHEN x.sent_at < ${series[at]!.to} THEN ${number}`);
  return `(CASE ${branches.join(" ")} ELSE ${numbers.at(-1)} END)`;
}

const countOf = (charged: string): string => `count(CASE WHEN x.charged = '${charged}' THEN 1 END)`;
const priceOf = (condition: string): string => `coalesce(sum(CASE WHEN ${condition} THEN x.price END), 0)`;

/** The figures of a group, and their expressions over requests. Totals store them as columns. */
const FIGURES = {
  requests: "count(*)",
  charged_yes: countOf("yes"),
  charged_no: countOf("no"),
  charged_unknown: countOf("unknown"),
  /** Requests without a price that are or may be charged. They are not in the amounts. */
  unpriced: "count(CASE WHEN x.charged <> 'no' AND x.price IS NULL THEN 1 END)",
  /** Sum of known charges. */
  least: priceOf("x.charged = 'yes'"),
  /** Sum of known and unknown charges. */
  most: priceOf("x.charged <> 'no'"),
};
export const FIGURE_NAMES = Object.keys(FIGURES) as readonly (keyof typeof FIGURES)[];
const AMOUNTS: ReadonlySet<string> = new Set(["least", "most"]);

/** An id begins with the time at which its run started. */
const RUNS = "min(x.transaction_id) AS first_run, max(x.transaction_id) AS last_run";
const RUNS_OF_SUMS = "min(u.first_run) AS first_run, max(u.last_run) AS last_run";

/** Send times of the first and the last request of a group. */
export const SENT = ["sent_first", "sent_last"] as const;

/** Simulated runs reach no vendor and are left out. */
export interface SumQuery {
  readonly keys: readonly RequestKey[];
  readonly sent: TimeSpan;
  /** Required texts of keys. */
  readonly only?: readonly (readonly [key: TotalKey, text: string])[];
  /** Expression for `zone_day`: see `dayOfZone`. */
  readonly zoneDay?: string;
  /** Whether groups have `first_run` and `last_run`, which totals lack. */
  readonly withRuns?: boolean;
}

/** No run started in it. */
export const EMPTY_SPAN: TimeSpan = { from: 0, to: 0 };

/** A statement's text and the values for its `?`. */
export interface SqlStatement {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

/**
 * A table with a row per group: its keys, its figures, and `sent_first` and `sent_last`. The figures `least` and `most`
 * are texts, because they may exceed 2^53.
 */
export function groupsOf(tables: LedgerTables, query: SumQuery, { spans, uncovered: rest }: TotalsCover): SqlStatement {
  const { requests, isKey } = tables;
  const only = query.only ?? [];
  const where = only.map(([key]) => ` AND ${isKey(`x.${key}`)}`).join("");
  const texts = only.map(([, text]) => text);
  const { from, to } = query.sent;
  const inRequest = (key: RequestKey): string =>
    key === "zone_day" ? query.zoneDay! : (IN_REQUEST[key] ?? `x.${key}`);
  const selects = rest.map((started) => ({
    sql: `SELECT ${selected(query.keys, inRequest)},
        ${FIGURE_NAMES.map((name) => `${FIGURES[name]} AS ${name}`).join(", ")},
        min(x.sent_at) AS sent_first, max(x.sent_at) AS sent_last${query.withRuns === true ? `, ${RUNS}` : ""}
      FROM ${requests} AS x
      WHERE x.simulated = 0 AND x.started_at >= ? AND x.started_at < ? AND x.sent_at >= ? AND x.sent_at < ?${where}
      GROUP BY ${query.keys.map(inRequest).join(", ")}`,
    values: [started.from, started.to, from, to, ...texts],
  }));
  if (spans.length > 0)
    selects.push({
      sql: `SELECT ${selected(query.keys, (key) => `x.${key}`)}, ${[...FIGURE_NAMES, ...SENT].map((name) => `x.${name}`).join(", ")}
        FROM ledger_totals AS x
        WHERE x.span IN (${spans.map(() => "?").join(", ")}) AND x.sent_day >= ? AND x.sent_day <= ?${where}`,
      values: [...spans.map(({ id }) => id), dayOf(from), dayOf(to - 1), ...texts],
    });
  if (selects.length === 0) return groupsOf(tables, query, withoutTotals(EMPTY_SPAN));
  const sums = FIGURE_NAMES.map(
    (name) => `CAST(sum(u.${name}) AS ${AMOUNTS.has(name) ? "text" : "bigint"}) AS ${name}`,
  );
  return {
    sql: `SELECT ${query.keys.map((key) => `u.${key}`).join(", ")}, ${sums.join(", ")},
        min(u.sent_first) AS sent_first, max(u.sent_last) AS sent_last${query.withRuns === true ? `, ${RUNS_OF_SUMS}` : ""}
      FROM (${selects.map(({ sql }) => sql).join(" UNION ALL ")}) AS u
      GROUP BY ${query.keys.map((key) => `u.${key}`).join(", ")}`,
    values: selects.flatMap(({ values }) => values),
  };
}

function selected<Key extends string>(keys: readonly Key[], expression: (key: Key) => string): string {
  return keys.map((key) => `${expression(key)} AS ${key}`).join(", ");
}

/** A SELECT over the groups, which are a table in it. It has a column `requests`. */
export interface GroupQuery {
  readonly select: (groups: string) => string;
  /** In columns of that SELECT, named `s`. */
  readonly orderBy: string;
  readonly linesMax?: number | undefined;
}

/** `null` if some of the totals have been deleted. */
export function readGroups<Row extends object>(
  tables: LedgerTables,
  asked: SumQuery,
  { select, orderBy, linesMax }: GroupQuery,
  cover: TotalsCover,
): Promise<readonly Row[] | null> {
  const ids = [...cover.spans, ...cover.passed].map(({ id }) => id);
  const groups = groupsOf(tables, asked, cover);
  const order = `ORDER BY ${orderBy}${linesMax === undefined ? "" : ` LIMIT ${Math.trunc(linesMax)}`}`;
  const statement = { sql: select(groups.sql), values: groups.values };
  return readWhileTotalsExist(tables, { spans: "ledger_total_spans", ids }, statement, "requests", order);
}

/**
 * The rows of a SELECT. One statement also checks that spans still have their totals, so all of these are of one moment.
 * `null` if the totals of a span have been deleted.
 * @param column of the SELECT, null in no row
 * @param order of the rows, which are named `s`
 */
export async function readWhileTotalsExist<Row extends object>(
  { query }: LedgerTables,
  { spans, ids }: { readonly spans: string; readonly ids: readonly number[] },
  { sql, values }: SqlStatement,
  column: string,
  order = "",
): Promise<readonly Row[] | null> {
  const kept =
    ids.length === 0
      ? "SELECT 0 AS spans"
      : `SELECT count(*) AS spans FROM ${spans} AS t WHERE t.kept = 1 AND t.id IN (${ids.map(() => "?").join(", ")})`;
  const rows = await query<Row & { readonly spans_kept: number }>(
    `SELECT n.spans AS spans_kept, s.* FROM (${kept}) AS n LEFT JOIN (${sql}) AS s ON 1 = 1 ${order}`,
    [...ids, ...values],
  );
  if (rows[0]!.spans_kept !== ids.length) return null;
  return rows
    .filter((row) => row[column as keyof Row] !== null)
    .map(({ spans_kept: _, ...row }) => row as unknown as Row);
}
