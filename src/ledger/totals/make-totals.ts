import type { TimeSpan } from "../../terms/time/calendar.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import type { LedgerTables } from "../ports.ts";
import { coverOf, isDay, type SpanWithTotals, RUNS_WORTH_TOTALS } from "./spans.ts";
import { FIGURE_NAMES, readGroups, SENT, type GroupQuery, TOTAL_KEYS } from "./group-requests.ts";
import { type MakeOptions, type SpanTables, storeSpans } from "./store-span.ts";
import { missingSpans, RUNS_AT_ONCE } from "./missing-spans.ts";

interface SpanRow {
  readonly id: number;
  readonly from_at: number;
  readonly to_at: number;
  readonly sent_first: number | null;
  readonly sent_last: number | null;
}

/** The spans that have totals. */
export async function readSpans({ query }: LedgerTables, within: TimeSpan): Promise<readonly SpanWithTotals[]> {
  const rows = await query<SpanRow>(
    `SELECT t.id, t.from_at, t.to_at, t.sent_first, t.sent_last FROM ledger_total_spans AS t
     WHERE t.from_at >= ? AND t.from_at < ? AND t.kept = 1 ORDER BY t.from_at`,
    [within.from, within.to],
  );
  return rows.map(({ id, from_at: from, to_at: to, sent_first: first, sent_last: last }) => ({
    id,
    from,
    to,
    sent: first === null || last === null ? null : { first, last },
  }));
}

/**
 * Makes missing totals of runs that started `within` this time. On a disk or database that cannot be written, none are
 * stored and sums are computed from requests.
 */
export async function makeTotals(
  tables: LedgerTables,
  within: TimeSpan,
  { runsWorth = RUNS_WORTH_TOTALS, runsAtOnce = RUNS_AT_ONCE, ...options }: MakeOptions & Partial<MakeLimits> = {},
): Promise<void> {
  const missing = await missingSpans(tables, within, await readSpans(tables, within), {
    runsWorth: (span) => (isDay(span) ? 0 : runsWorth),
    runsAtOnce,
  });
  await storeSpans(tables, TOTALS, missing, (span) => readLines(tables, span), options);
}

export interface MakeLimits {
  /** A part of a day gets totals only if it has more runs than this. */
  readonly runsWorth: number;
  readonly runsAtOnce: number;
}

/** Wider than any clock: requests sent under a wrong clock are part of the totals too. */
export const EVER: TimeSpan = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
const AS_THEY_ARE: GroupQuery = { select: (groups) => `SELECT * FROM (${groups}) AS g`, orderBy: "s.requests" };

const COLUMNS = [...TOTAL_KEYS, ...FIGURE_NAMES, ...SENT] as const;
type TotalLine = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

const sentOf = (what: string): string =>
  `(SELECT ${what} FROM ledger_totals AS x WHERE x.span = ledger_total_spans.id)`;
export const TOTALS: SpanTables = {
  spans: "ledger_total_spans",
  // Until totals are stored, `sent_first` is the time of the claim.
  claimedAt: "sent_first",
  whenKept: `, sent_first = ${sentOf("min(x.sent_first)")}, sent_last = ${sentOf("max(x.sent_last)")}`,
  lines: "ledger_totals",
  columns: ["line", ...COLUMNS],
  partsBelowMs: DAY_MS,
};

async function readLines(tables: LedgerTables, span: TimeSpan) {
  const cover = coverOf(await readSpans(tables, span), span, EVER);
  const lines = await readGroups<TotalLine>(tables, { keys: TOTAL_KEYS, sent: EVER }, AS_THEY_ARE, cover);
  return lines?.map((line, number) => [number, ...COLUMNS.map((name) => line[name])]) ?? null;
}
