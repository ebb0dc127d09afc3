import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { outcomeOf } from "../journal/verdicts.ts";
import { type Cell, csvLine } from "../../terms/csv-line.ts";
import { amountFromColumn, amountText } from "../../terms/money.ts";
import { costOf, priceText, withPriceText } from "./costs.ts";
import { isDamage } from "../journal/journal-damage.ts";
import { runCondition, type LedgerFilter } from "./ledger-filter.ts";
import type { AttemptRow, CallRow, LedgerTables, RunReportRow, RunRow } from "../ports.ts";
import { readRuns } from "./read-runs.ts";

/**
 * `jsonl`: one whole run per line. `csv`: one line per request, with call and run, and one per run or call without
 * requests.
 */
export type ExportFormat = "csv" | "jsonl";

/** Few enough that a page is read quickly: a long read would keep the journal's log from being shortened. */
const RUNS_A_PAGE = 200;

type Place = readonly [startedAt: number, transactionId: string];

/** Some of the runs, oldest first. */
export interface ExportPage {
  readonly text: string;
  readonly runs: number;
  /** Runs that are left out because of damage: their ids or, where one cannot be read, its start. */
  readonly damaged: readonly string[];
  /** Where the next page begins; `null` after the last one. */
  readonly next: ExportPlace | null;
}

export interface ExportPlace {
  readonly place: Place;
  /** How many runs to read: fewer where there is damage. */
  readonly limit: number;
}

/**
 * One page of an export, which is a short question like any other: whoever asks for the next one only when this one is
 * written keeps no more than a page in memory, and nobody else waits for long.
 */
export async function exportPage(
  tables: LedgerTables,
  filter: LedgerFilter,
  format: ExportFormat,
  from: ExportPlace | null,
): Promise<ExportPage> {
  const head = from === null && format === "csv" ? csvLine(HEADERS) : "";
  const { place, limit } = from ?? { place: [Number.MIN_SAFE_INTEGER, ""], limit: RUNS_A_PAGE };
  const part = await findRuns(tables, filter, place, limit).catch(nullIfDamaged);
  if (part !== null) {
    const { runs, end } = part;
    const found = await readRuns(tables.query, runs.map((run) => run.transaction_id)); // prettier-ignore
    const texts = found.flatMap(({ row, damaged }) => (row === null || damaged ? [] : toText(row, format)));
    const last = runs.at(-1);
    const reached = runs.length === limit && last !== undefined ? placeOf(last) : end;
    return {
      text: head + texts.join(""),
      runs: found.length,
      damaged: found.flatMap(({ transactionId, damaged }) => (damaged ? transactionId : [])),
      next: reached === null ? null : { place: reached, limit: RUNS_A_PAGE },
    };
  }
  if (limit > 1) return { text: head, runs: 0, damaged: [], next: { place, limit: Math.ceil(limit / 8) } };
  const damaged: string[] = [];
  const next = await skipOne(tables, place, damaged);
  return { text: head, runs: 0, damaged, next: next === null ? null : { place: next, limit: 1 } };
}

/** All pages of an export, each read when the one before it has been taken. */
export async function* exportRuns(
  ledger: { exportPage(filter: LedgerFilter, format: ExportFormat, from: ExportPlace | null): Promise<ExportPage> },
  filter: LedgerFilter,
  format: ExportFormat,
): AsyncGenerator<ExportPage> {
  let from: ExportPlace | null = null;
  do {
    const page: ExportPage = await ledger.exportPage(filter, format, from);
    yield page;
    from = page.next;
  } while (from !== null);
}

/** What stands in an export for a run that is damaged. */
export function damagedLine(run: string, format: ExportFormat): string {
  if (format === "jsonl") return `${JSON.stringify({ run: { transaction_id: run, state: "damaged" } })}\n`;
  return csvLine(HEADERS.map((header) => (header === "transaction_id" ? run : header === "state" ? "damaged" : null)));
}

type Found = Pick<RunRow, "started_at" | "transaction_id">;

function placeOf({ started_at: at, transaction_id: id }: Found): Place {
  return [at, id];
}

interface Part {
  readonly runs: readonly Found[];
  /** How far they were looked for, if that is not the end of the ledger. */
  readonly end: Place | null;
}

/** How many runs are looked at for a page if most of them may not belong to it: the next question is not kept waiting. */
const LOOKED_AT_MAX = 5_000;

async function findRuns(
  { query, isText }: LedgerTables,
  filter: LedgerFilter,
  place: Place,
  limit: number,
): Promise<Part> {
  // prettier-ignore
  const condition = runCondition(filter, isText);
  const end = isRare(filter) ? await endOfPart(query, filter, place) : null;
  const until = end === null ? { sql: "TRUE", values: [] } : { sql: "(r.started_at, r.transaction_id) <= (?, ?)", values: end }; // prettier-ignore
  const runs = await query<Found>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE ${condition.sql} AND (r.started_at, r.transaction_id) > (?, ?) AND ${until.sql}
     ORDER BY r.started_at, r.transaction_id LIMIT ?`,
    [...condition.values, ...place, ...until.values, limit],
  );
  return { runs, end };
}

/** Whether runs are found by reading others too: no index has what is in their calls in the order of time. */
function isRare({ transactionId, source, outcome, charged }: LedgerFilter): boolean {
  return transactionId === undefined && (source ?? outcome ?? charged) !== undefined;
}

async function endOfPart(query: LedgerTables["query"], { from, to }: LedgerFilter, place: Place) {
  const times = [...(from === undefined ? [] : [["r.started_at >= ?", from] as const]), ...(to === undefined ? [] : [["r.started_at < ?", to] as const])]; // prettier-ignore
  const [end] = await query<Found>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE ${["(r.started_at, r.transaction_id) > (?, ?)", ...times.map(([sql]) => sql)].join(" AND ")}
     ORDER BY r.started_at, r.transaction_id LIMIT 1 OFFSET ${LOOKED_AT_MAX - 1}`,
    [...place, ...times.map(([, value]) => value)],
  );
  return end === undefined ? null : placeOf(end);
}

/**
 * Skips the next run, which cannot be read, by using only the index; other runs that started in the same millisecond
 * are skipped too.
 */
async function skipOne({ query }: LedgerTables, [at, id]: Place, damaged: string[]): Promise<Place | null> {
  const ofThatMoment = await query(
    "SELECT r.transaction_id FROM ledger_runs AS r WHERE r.started_at = ? AND r.transaction_id > ? LIMIT 1",
    [at, id],
  ).catch(nullIfDamaged);
  if (ofThatMoment === null) damaged.push(`one that started at ${toIso(at)}`);
  const [next] = await query<{ readonly at: number | null }>(
    "SELECT min(r.started_at) AS at FROM ledger_runs AS r WHERE r.started_at > ?",
    [at],
  );
  return next === undefined || next.at === null ? null : [next.at, ""];
}

function toText(row: RunReportRow, format: ExportFormat): string {
  if (format === "csv") return csvLines(row);
  const attempts = row.attempts.map(withPriceText);
  const reconciliations = row.reconciliations.map(withPriceText);
  return JSON.stringify({ ...row, attempts, reconciliations }) + "\n";
}

function nullIfDamaged(error: unknown): null {
  if (isDamage(error)) return null;
  throw error;
}

/** For columns of which something else than the stored value is exported. */
type Instead<Row> = { readonly [Name in keyof Row]?: (row: Row) => Cell };

/** The cells of a row, or as many empty ones if there is no row. */
function cellsOf<Row>(table: Columns, instead: Instead<Row> = {}): (row: Row | null) => readonly Cell[] {
  const cells = listOf(table)
    .filter(({ column }) => column.csv !== undefined)
    .map(({ name, column }) => {
      const valueOf = (row: Row): Cell => row[name as keyof Row] as Cell;
      const shown = column.holds.isMoment ? (row: Row): Cell => toIso(valueOf(row) as number) : valueOf;
      return instead[name as keyof Row] ?? shown;
    });
  return (row) => cells.map((cell) => (row === null ? null : cell(row)));
}

/** What a request cost, as a range. Both are empty if it may have been billed and no price is known. */
const COST_HEADERS = ["amount", "amount_at_most"];
const HEADERS = [
  ...[RUN_COLUMNS, CALL_COLUMNS, ATTEMPT_COLUMNS].flatMap((table: Columns) =>
    listOf(table).flatMap(({ column }) => column.csv ?? []),
  ),
  ...COST_HEADERS,
];
const runCells = cellsOf<RunRow>(RUN_COLUMNS);
const callCells = cellsOf<CallRow>(CALL_COLUMNS, { success: outcomeOf });
const attemptCells = cellsOf<AttemptRow>(ATTEMPT_COLUMNS, { price: ({ price }) => priceText(price) });

function costCells(attempt: AttemptRow | null): readonly Cell[] {
  const cost = attempt === null ? null : costOf(attempt.charged, amountFromColumn(attempt.price));
  return cost === null ? [null, null] : [amountText(cost.least), amountText(cost.most)];
}

function csvLines({ run, calls, attempts }: RunReportRow): string {
  const line = (call: CallRow | null, attempt: AttemptRow | null): string =>
    csvLine([...runCells(run), ...callCells(call), ...attemptCells(attempt), ...costCells(attempt)]);
  if (calls.length === 0) return line(null, null);
  return calls
    .map((call) => {
      const own = attempts.filter(({ ordinal }) => ordinal === call.ordinal);
      return own.length === 0 ? line(call, null) : own.map((attempt) => line(call, attempt)).join("");
    })
    .join("");
}

function toIso(wallAt: number): string {
  const date = new Date(wallAt);
  return Number.isNaN(date.getTime()) ? String(wallAt) : date.toISOString();
}
