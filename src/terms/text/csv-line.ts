import type { ExactNumber } from "../json/exact-number.ts";

export type Cell = string | number | ExactNumber | null;

/** One line of a CSV file with its line end, quoted as in RFC 4180. `null` is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(toCell).join(",") + "\r\n";
}

function toCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return String(cell);
  // Names and ids can be any text, and a spreadsheet would treat a text with such a beginning as a formula.
  const text = /^(?:\s*[=+\-@]|[\t\r])/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
