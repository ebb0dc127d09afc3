/** One line of a CSV file, with the number of the line in which it begins. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads CSV as in RFC 4180, with commas, semicolons or tabs, whichever the first line has most of; a line `sep=;` before
 * it, which Excel understands, decides. Lines may end in CR, LF or both. Empty lines are left out. A quote that is never
 * closed takes the rest of the file, which then has too few cells.
 */
export function* readCsv(text: string): Generator<CsvRow, void, void> {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const told = /^sep=([,;\t])(\r\n|\r|\n|$)/.exec(source);
  const delimiter = told?.[1] ?? delimiterOf(source);
  const firstLine = told === null ? 1 : 2;
  let [cells, cell, line, startLine, quoted, isQuoted] = [[] as string[], "", firstLine, firstLine, false, false];
  const endCell = (): void => {
    cells.push(isQuoted ? cell : cell.trim());
    [cell, isQuoted] = ["", false];
  };
  const endRow = (): CsvRow[] => {
    endCell();
    const row = { line: startLine, cells };
    cells = [];
    return row.cells.length > 1 || row.cells[0] !== "" ? [row] : [];
  };
  for (let at = told?.[0].length ?? 0; at < source.length; at += 1) {
    const char = source[at]!;
    const endsLine = char === "\n" || (char === "\r" && source[at + 1] !== "\n");
    if (endsLine) line += 1;
    if (quoted) {
      if (char !== '"') cell += char;
      else if (source[at + 1] === '"') cell += source[(at += 1)];
      else quoted = false;
    } else if (char === '"' && cell.trim() === "") [quoted, isQuoted, cell] = [true, true, ""];
    else if (char === delimiter) endCell();
    else if (endsLine) {
      yield* endRow();
      startLine = line;
    } else if (char !== "\r") cell += char;
  }
  if (cell !== "" || cells.length > 0) yield* endRow();
}

/** More than the headings of any invoice. */
const HEAD_CHARACTERS_MAX = 65_536;

function delimiterOf(text: string): string {
  const [head = ""] = text
    .slice(0, HEAD_CHARACTERS_MAX)
    .replaceAll(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** A whole number that a cell contains, such as a quantity, `-1` or `3.00`; `null` if it is none. */
export function wholeOf(cell: string): number | null {
  return /^-?\d{1,9}([.,]0{1,2})?$/.test(cell) ? Number.parseInt(cell, 10) : null;
}
