import { type Cell, csvLine } from "../../terms/text/csv-line.ts";
import { amountText } from "../../terms/money/money.ts";
import { withPriceText } from "./costs.ts";
import { damagedRow, EXPORT_COLUMNS, type ExportRow, tableRows } from "./export-table.ts";
import type { RunReportRow } from "../ports.ts";

/** `jsonl`: one whole run per line. `csv` and `parquet`: the table of `export-table.ts`. */
export type ExportFormat = "csv" | "jsonl" | "parquet";
/** The formats that are lines of text. */
export type LineFormat = Exclude<ExportFormat, "parquet">;

/** The lines of an export before its first run. */
export function headOf(format: LineFormat): string {
  return format === "csv" ? csvLine(EXPORT_COLUMNS.map(({ name }) => name)) : "";
}

/** The lines of an export for a run. */
export function linesOf(row: RunReportRow, format: LineFormat): string {
  if (format === "csv") return tableRows(row).map(toCsv).join("");
  const attempts = row.attempts.map(withPriceText);
  const reconciliations = row.reconciliations.map(withPriceText);
  return JSON.stringify({ ...row, attempts, reconciliations }) + "\n";
}

/** The line of an export for a damaged run. */
export function damagedLine(run: string, format: LineFormat): string {
  if (format === "jsonl") return `${JSON.stringify({ run: { transaction_id: run, state: "damaged" } })}\n`;
  return toCsv(damagedRow(run));
}

function toCsv(row: ExportRow): string {
  return csvLine(
    row.map((cell, at): Cell => {
      if (typeof cell === "bigint") return amountText(cell);
      return EXPORT_COLUMNS[at]!.type === "moment" && cell !== null ? toIso(cell as number) : cell;
    }),
  );
}

/** The start of a damaged run can be any number. */
function toIso(wallAt: number): string {
  const date = new Date(wallAt);
  return Number.isNaN(date.getTime()) ? String(wallAt) : date.toISOString();
}
