import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { outcomeOf } from "../journal/verdicts.ts";
import type { AttemptRow, CallRow, RunReportRow, RunRow } from "../ports.ts";
import { amountFromColumn, type Micros } from "../../terms/money/money.ts";
import { costOf } from "./costs.ts";

/** `moment`: milliseconds since 1970. `boolean`: 0 or 1. `amount`: millionths. */
export interface ExportColumn {
  readonly name: string;
  readonly type: "text" | "integer" | "boolean" | "moment" | "amount";
}

export type ExportCell = string | number | Micros | null;
export type ExportRow = readonly ExportCell[];

/** The columns of an export as a table. The last two are the cost of a request, as a range. */
export const EXPORT_COLUMNS: readonly ExportColumn[] = [
  ...[RUN_COLUMNS, CALL_COLUMNS, ATTEMPT_COLUMNS].flatMap((table: Columns) =>
    listOf(table).flatMap(({ column: { csv, valueType: holds } }) =>
      csv === undefined ? [] : [{ name: csv, type: typeOf(csv, holds) }],
    ),
  ),
  { name: "amount", type: "amount" },
  { name: "amount_at_most", type: "amount" },
];

function typeOf(name: string, { type, isMoment, isFlag }: Columns[string]["valueType"]): ExportColumn["type"] {
  if (name === "outcome") return "text";
  if (name === "price") return "amount";
  if (isMoment) return "moment";
  if (isFlag) return "boolean";
  return type === "whole" ? "integer" : "text";
}

/** A row for each request of the run, with its call, and one for a run or a call without requests. */
export function tableRows({ run, calls, attempts }: RunReportRow): readonly ExportRow[] {
  const rowOf = (call: CallRow | null, attempt: AttemptRow | null): ExportRow => [
    ...runCells(run),
    ...callCells(call),
    ...attemptCells(attempt),
    ...costCells(attempt),
  ];
  if (calls.length === 0) return [rowOf(null, null)];
  return calls.flatMap((call) => {
    const own = attempts.filter(({ ordinal }) => ordinal === call.ordinal);
    return own.length === 0 ? [rowOf(call, null)] : own.map((attempt) => rowOf(call, attempt));
  });
}

/** The row of a damaged run: its id and its state. */
export function damagedRow(run: string): ExportRow {
  return EXPORT_COLUMNS.map(({ name }) => (name === "transaction_id" ? run : name === "state" ? "damaged" : null));
}

/** Columns for which the export replaces the stored value. */
type Instead<Row> = { readonly [Name in keyof Row]?: (row: Row) => ExportCell };

/** The cells of a row, or as many empty cells if there is no row. */
function cellsOf<Row>(table: Columns, instead: Instead<Row> = {}): (row: Row | null) => readonly ExportCell[] {
  const cells = listOf(table)
    .filter(({ column }) => column.csv !== undefined)
    .map(({ name }) => instead[name as keyof Row] ?? ((row: Row) => row[name as keyof Row] as ExportCell));
  return (row) => cells.map((cell) => (row === null ? null : cell(row)));
}

const runCells = cellsOf<RunRow>(RUN_COLUMNS);
const callCells = cellsOf<CallRow>(CALL_COLUMNS, { success: outcomeOf });
const attemptCells = cellsOf<AttemptRow>(ATTEMPT_COLUMNS, { price: ({ price }) => amountFromColumn(price) });

/** Both are empty if the request may have been billed and no price is known. */
function costCells(attempt: AttemptRow | null): readonly ExportCell[] {
  const cost = attempt === null ? null : costOf(attempt.charged, amountFromColumn(attempt.price));
  return cost === null ? [null, null] : [cost.least, cost.most];
}
