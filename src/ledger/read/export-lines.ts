import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { outcomeOf } from "../journal/verdicts.ts";
import { type Cell, csvLine } from "../../terms/text/csv-line.ts";
import { amountFromColumn, amountText } from "../../terms/money/money.ts";
import { costOf, priceText, withPriceText } from "./costs.ts";
import type { AttemptRow, CallRow, RunReportRow, RunRow } from "../ports.ts";

/**
 * `jsonl`: one whole run per line. `csv`: one line per request, with call and run, and one per run or call without
 * requests.
 */
export type ExportFormat = "csv" | "jsonl";

/** The lines of an export before its first run. */
export function headOf(format: ExportFormat): string {
  return format === "csv" ? csvLine(HEADERS) : "";
}

/** The lines of an export for a run. */
export function linesOf(row: RunReportRow, format: ExportFormat): string {
  if (format === "csv") return csvLines(row);
  const attempts = row.attempts.map(withPriceText);
  const reconciliations = row.reconciliations.map(withPriceText);
  return JSON.stringify({ ...row, attempts, reconciliations }) + "\n";
}

/** The line of an export for a damaged run. */
export function damagedLine(run: string, format: ExportFormat): string {
  if (format === "jsonl") return `${JSON.stringify({ run: { transaction_id: run, state: "damaged" } })}\n`;
  return csvLine(HEADERS.map((header) => (header === "transaction_id" ? run : header === "state" ? "damaged" : null)));
}

/** Columns for which the export replaces the stored value. */
type Instead<Row> = { readonly [Name in keyof Row]?: (row: Row) => Cell };

/** The cells of a row, or as many empty cells if there is no row. */
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

/** The cost of a request, as a range. Both are empty if it may have been billed and no price is known. */
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

/** The start of a damaged run can be any number. */
function toIso(wallAt: number): string {
  const date = new Date(wallAt);
  return Number.isNaN(date.getTime()) ? String(wallAt) : date.toISOString();
}
