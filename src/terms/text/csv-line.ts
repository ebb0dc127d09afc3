export type Cell = string | number | null;

/** One line of a CSV file with its line end, quoted as in RFC 4180. `null` is an empty cell. */
export function csvLine(cells: readonly Cell[]): string {
  return cells.map(toCell).join(",") + "\r\n";
}

function toCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  // Names and ids can be any text, and a spreadsheet would treat a text with such a beginning as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
