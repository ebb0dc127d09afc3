import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { outcomeOf } from "../journal/verdicts.ts";
import { amountFromColumn, amountText } from "../../terms/money.ts";
import { costOf, priceText, withPriceText } from "./costs.ts";
import { isDamage } from "../journal/journal-damage.ts";
import { runCondition, type LedgerFilter } from "./ledger-filter.ts";
import type { AttemptRow, CallRow, LedgerTables, RunReportRow, RunRow } from "../ports.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { readRuns } from "./read-runs.ts";

/**
 * `jsonl`: one whole run per line. `csv`: one line per request, with call and run, and one per run or call without
 * requests.
 */
export type ExportFormat = "csv" | "jsonl";

/** Few enough that a page is read quickly: a long read would keep the journal's log from being shortened. */
const RUNS_A_PAGE = 200;

/** Called for each run that is left out because of damage, with its id or, if that cannot be read, its start. */
export type OnDamaged = (run: string) => void;

type Place = readonly [startedAt: number, transactionId: string];

export async function* exportRuns(
  tables: LedgerTables,
  filter: LedgerFilter,
  format: ExportFormat,
  onDamaged: OnDamaged = () => {},
  onProgress: OnProgress = () => {},
): AsyncGenerator<string> {
  let written = 0;
  if (format === "csv") yield toLine(HEADERS);
  let place: Place | null = [Number.MIN_SAFE_INTEGER, ""];
  let limit = RUNS_A_PAGE;
  while (place !== null) {
    const runs: readonly Found[] | null = await findRuns(tables, filter, place, limit).catch(nullIfDamaged);
    if (runs !== null) {
      const ids = runs.map((run) => run.transaction_id);
      const found = await readRuns(tables.query, ids);
      yield found.flatMap(({ row, damaged }) => (row === null || damaged ? [] : toText(row, format))).join("");
      for (const { transactionId, damaged } of found) if (damaged) onDamaged(transactionId);
      written += found.length;
      onProgress("runs written", written);
      const last = runs.at(-1);
      place = last === undefined || runs.length < limit ? null : [last.started_at, last.transaction_id];
      limit = RUNS_A_PAGE;
    } else if (limit > 1) {
      limit = Math.ceil(limit / 8);
    } else {
      place = await skipOne(tables, place, onDamaged);
    }
  }
}

type Found = Pick<RunRow, "started_at" | "transaction_id">;

function findRuns(
  { query, isText }: LedgerTables,
  filter: LedgerFilter,
  place: Place,
  limit: number,
): Promise<readonly Found[]> {
  const condition = runCondition(filter, isText);
  return query<Found>(
    `SELECT r.started_at, r.transaction_id FROM ledger_runs AS r
     WHERE ${condition.sql} AND (r.started_at, r.transaction_id) > (?, ?)
     ORDER BY r.started_at, r.transaction_id LIMIT ?`,
    [...condition.values, ...place, limit],
  );
}

/**
 * Skips the next run, which cannot be read, by using only the index; other runs that started in the same millisecond
 * are skipped too.
 */
async function skipOne({ query }: LedgerTables, [at, id]: Place, onDamaged: OnDamaged): Promise<Place | null> {
  const ofThatMoment = await query(
    "SELECT r.transaction_id FROM ledger_runs AS r WHERE r.started_at = ? AND r.transaction_id > ? LIMIT 1",
    [at, id],
  ).catch(nullIfDamaged);
  if (ofThatMoment === null) onDamaged(`one that started at ${toIso(at)}`);
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

type Cell = string | number | null;
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
    toLine([...runCells(run), ...callCells(call), ...attemptCells(attempt), ...costCells(attempt)]);
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

/** Quoted as in RFC 4180. */
function toLine(cells: readonly Cell[]): string {
  return cells.map(toCell).join(",") + "\r\n";
}

function toCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  // Callers can send any text as a source id, and a spreadsheet treats a text with such a beginning as a formula.
  const text = /^[=+\-@]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
