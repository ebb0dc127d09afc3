import type { TimeSpan } from "../../terms/time/calendar.ts";
import { HOUR_MS, MINUTE_MS } from "../../terms/time/durations.ts";
import type { LedgerTables } from "../ports.ts";
import { readWhileTotalsExist } from "../totals/group-requests.ts";
import { missingSpans } from "../totals/missing-spans.ts";
import { chooseSpans, LEVELS, PARTS_MAX, RUNS_WORTH_TOTALS, type SpanLevel } from "../totals/spans.ts";
import { type SpanLine, type MakeOptions, type SpanTables, storeSpans } from "../totals/store-span.ts";
import { addFigures, addText, type Figures, noFigures, toText } from "./figures.ts";
import { addRow, groupedRows, type GroupedRow } from "./group-ends.ts";
import { ALL_KEYS, type Grouping, GROUPINGS, type HistoryKey, KEYS } from "./groupings.ts";

/*
 * Totals of the history, by the spans and the mechanism of `totals/`. Hours keep theirs when their day has totals, also
 * hours without runs, so that a history by hour reads no calls.
 */

export const HISTORY: SpanTables = {
  spans: "ledger_history_spans",
  claimedAt: "claimed_at",
  whenKept: "",
  lines: "ledger_history",
  columns: ["grouping_number", "line", ...ALL_KEYS, "figures"],
  partsBelowMs: HOUR_MS,
};

export interface HistorySpan extends TimeSpan {
  readonly id: number;
}

/** The spans that have totals, and began `within` this time. */
export function readHistorySpans({ query }: LedgerTables, within: TimeSpan): Promise<readonly HistorySpan[]> {
  return query<HistorySpan & { readonly from: number }>(
    `SELECT t.id, t.from_at AS "from", t.to_at AS "to" FROM ledger_history_spans AS t
     WHERE t.from_at >= ? AND t.from_at < ? AND t.kept = 1`,
    [within.from, within.to],
  );
}

/** Few enough that the groups of all keys fit in memory. */
const RUNS_AT_ONCE = 20_000;

export interface MakeHistoryOptions extends MakeOptions {
  readonly longestMs: number;
  readonly runsWorth?: number;
  readonly runsAtOnce?: number;
}

/** Makes missing totals of runs that started `within` this time, of spans of at most this length. */
export async function makeHistory(
  tables: LedgerTables,
  within: TimeSpan,
  { longestMs, runsWorth = RUNS_WORTH_TOTALS, runsAtOnce = RUNS_AT_ONCE, ...options }: MakeHistoryOptions,
): Promise<void> {
  const existing = await readHistorySpans(tables, { from: within.from - (within.from % HOUR_MS), to: within.to });
  const levels: readonly SpanLevel[] = LEVELS.filter(({ lengthMs }) => lengthMs <= longestMs);
  const missing = await missingSpans(tables, within, existing, {
    runsWorth: ({ from, to }) => (to - from === MINUTE_MS ? runsWorth : null),
    runsAtOnce,
    levels,
  });
  await storeSpans(tables, HISTORY, missing, (span) => readLines(tables, span), options);
}

/** `null` if some of the totals of its parts have been deleted. */
async function readLines(tables: LedgerTables, span: TimeSpan): Promise<readonly SpanLine[] | null> {
  const chosen = chooseSpans(await readHistorySpans(tables, span), span);
  const { spans, uncovered } = chosen.uncovered.length > PARTS_MAX ? { spans: [], uncovered: [span] } : chosen;
  const lines = new Lines();
  if (spans.length > 0 && !(await lines.addStored(tables, spans))) return null;
  for (const part of uncovered) await lines.addEnded(tables, part);
  return lines.values();
}

/** Whether its totals are those of its rows. If its runs change meanwhile, the span is deleted. */
export async function isEqualToRows(tables: LedgerTables, span: HistorySpan): Promise<boolean> {
  const [stored, ofRows] = [new Lines(), new Lines()];
  await stored.addStored(tables, [span]);
  for (let from = span.from; from < span.to; from += HOUR_MS)
    await ofRows.addEnded(tables, { from, to: Math.min(from + HOUR_MS, span.to) });
  return stored.text() === ofRows.text();
}

type RawKeys = Readonly<Partial<Record<HistoryKey, string | number | null>>>;
type StoredLine = RawKeys & { readonly grouping_number: number; readonly figures: string };

/** The lines of a span. Keys are as the ledger stores them: numbers or texts. */
class Lines {
  readonly #lines = new Map<string, { readonly grouping: Grouping; readonly keys: RawKeys; readonly of: Figures }>();

  /** False if some of the totals have been deleted. */
  async addStored(tables: LedgerTables, spans: readonly HistorySpan[]): Promise<boolean> {
    const ids = spans.map(({ id }) => id);
    const statement = {
      sql: `SELECT l.grouping_number, l.figures, ${ALL_KEYS.map((key) => `l.${key}`).join(", ")}
        FROM ledger_history AS l WHERE l.span IN (${ids.map(() => "?").join(", ")})`,
      values: ids,
    };
    const rows = await readWhileTotalsExist<StoredLine>(
      tables,
      { spans: HISTORY.spans, ids },
      statement,
      "grouping_number",
    );
    for (const row of rows ?? []) {
      const grouping = GROUPINGS.find(({ number }) => number === row.grouping_number);
      if (grouping !== undefined) addText(this.#line(grouping, row), row.figures);
    }
    return rows !== null;
  }

  async addEnded(tables: LedgerTables, started: TimeSpan): Promise<void> {
    for (const unit of ["call", "run"] as const) {
      const groupings = GROUPINGS.filter((grouping) => grouping.unit === unit);
      const asked = { unit, keys: KEYS[unit], only: [], unitMs: HOUR_MS };
      for (const { sql, values } of groupedRows(tables, asked, started))
        for (const row of await tables.query<GroupedRow & RawKeys>(sql, values)) {
          const own = noFigures();
          addRow(own, unit, row);
          for (const grouping of groupings) if (isCounted(grouping, row)) addFigures(this.#line(grouping, row), own);
        }
    }
  }

  #line(grouping: Grouping, row: RawKeys): Figures {
    const name = JSON.stringify([grouping.number, ...grouping.keys.map((key) => row[key])]);
    const existing = this.#lines.get(name);
    if (existing !== undefined) return existing.of;
    const of = noFigures();
    const keys: RawKeys = Object.fromEntries(grouping.keys.map((key) => [key, row[key]!]));
    this.#lines.set(name, { grouping, keys, of });
    return of;
  }

  values(): readonly SpanLine[] {
    return [...this.#lines.values()].map(({ grouping, keys, of }, line) => [
      grouping.number,
      line,
      ...ALL_KEYS.map((key) => keys[key] ?? null),
      toText(of),
    ]);
  }

  text(): string {
    return [...this.#lines]
      .map(([name, { of }]) => `${name} ${toText(of)}`)
      .toSorted()
      .join("\n");
  }
}

/** Runs of data have no function. */
function isCounted({ unit, keys }: Grouping, row: RawKeys): boolean {
  return unit === "call" || !keys.includes("function_key") || row.function_key !== null;
}
