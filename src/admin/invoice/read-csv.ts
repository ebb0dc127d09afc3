/** One line of a CSV file, with the number of the line in which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads CSV as in RFC 4180, with commas, semicolons or tabs, whichever the first line has most of. Empty lines are left
 * out. A quote that is never closed takes the rest of the file, which then has too few cells.
 */
export function readCsv(text: string): readonly CsvRow[] {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const delimiter = delimiterOf(source);
  const rows: CsvRow[] = [];
  let [cells, cell, line, startLine, quoted, isQuoted] = [[] as string[], "", 1, 1, false, false];
  const endCell = (): void => {
    cells.push(isQuoted ? cell : cell.trim());
    [cell, isQuoted] = ["", false];
  };
  const endRow = (): void => {
    endCell();
    if (cells.length > 1 || cells[0] !== "") rows.push({ line: startLine, cells });
    cells = [];
  };
  for (let at = 0; at < source.length; at += 1) {
    const char = source[at]!;
    if (char === "\n") line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[at + 1] === '"') cell += source[(at += 1)];
      else quoted = false;
    } else if (char === '"' && cell.trim() === "") [quoted, isQuoted, cell] = [true, true, ""];
    else if (char === delimiter) endCell();
    else if (char === "\n") {
      endRow();
      startLine = line;
    } else if (char !== "\r") cell += char;
  }
  if (cell !== "" || cells.length > 0) endRow();
  return rows;
}

function delimiterOf(text: string): string {
  const end = text.indexOf("\n");
  const head = end === -1 ? text : text.slice(0, end);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** A whole number that a cell contains, such as a quantity; `null` if it is none. */
export function wholeOf(cell: string): number | null {
  return /^\d{1,9}$/.test(cell) ? Number.parseInt(cell, 10) : null;
}
