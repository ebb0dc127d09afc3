export type Cell = string | number | null;

/** Lines of a CSV file. A text that a spreadsheet would take for a formula gets a `'`. */
export function csvOf(lines: readonly (readonly Cell[])[]): string {
  return lines.map((line) => `${line.map(toCell).join(",")}\r\n`).join("");
}

function toCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^(?:\s*[=+\-@]|[\t\r])/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
