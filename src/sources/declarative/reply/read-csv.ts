/** Thrown for a text that is not CSV. */
export class CsvProblem extends Error {}

/**
 * The cells of CSV as in RFC 4180, line by line. Lines may end in CR, LF or both; blank lines are left out. The parser
 * of row files reads streams and takes several times as long, which would block other calls. @throws CsvProblem
 */
export function readCells(text: string, delimiter: string): string[][] {
  const separator = delimiter.charCodeAt(0);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  const endRow = (): void => {
    if (row.length > 1 || row[0] !== "") rows.push(row);
    row = [];
  };
  while (at < text.length) {
    if (text[at] === '"') {
      const { cell, end } = readQuoted(text, at + 1);
      row.push(cell);
      at = end;
    } else {
      const end = endOfCell(text, at, separator);
      const cell = text.slice(at, end);
      if (cell.includes('"')) throw new CsvProblem("a quote is within a cell that is not quoted");
      row.push(cell);
      at = end;
    }
    if (text.charCodeAt(at) === separator) {
      at += 1;
      if (at === text.length) row.push("");
    } else if (at < text.length) {
      if (text[at] !== "\r" && text[at] !== "\n") throw new CsvProblem("text follows a closing quote");
      at += text.startsWith("\r\n", at) ? 2 : 1;
      endRow();
    }
  }
  if (row.length > 0) endRow();
  return rows;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

function endOfCell(text: string, from: number, separator: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === separator || code === LINE_FEED || code === CARRIAGE_RETURN) return at;
  }
  return text.length;
}

/** The text of a quoted cell, and the index after its closing quote. A quote within it is written twice. */
function readQuoted(text: string, from: number): { readonly cell: string; readonly end: number } {
  let cell = "";
  for (let start = from; ;) {
    const quote = text.indexOf('"', start);
    if (quote < 0) throw new CsvProblem("a quote is not closed");
    cell += text.slice(start, quote);
    if (text[quote + 1] !== '"') return { cell, end: quote + 1 };
    cell += '"';
    start = quote + 2;
  }
}
