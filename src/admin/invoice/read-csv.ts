/** A record of a CSV file, with the number of its first line. */
export interface CsvRow {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads CSV as in RFC 4180. The delimiter is the comma, semicolon or tab that is most frequent in the first line; a
 * line `sep=;` before it, as in Excel, overrides that. Lines may end in CR, LF or both. Empty lines are skipped. An
 * unclosed quote takes the rest of the file, which then has too few cells. Yields `null` after every 4,096 marks, where
 * the caller can let other work run.
 */
export function* readCsv(text: string): Generator<CsvRow | null, void, void> {
  const source = text.startsWith("\ufeff") ? text.slice(1) : text;
  const told = /^sep=([,;\t])(\r\n|\r|\n|$)/.exec(source);
  const delimiter = told?.[1] ?? delimiterOf(source);
  const firstLine = told === null ? 1 : 2;
  const isEnd = (code: number): boolean => code === LF || code === CR || code === QUOTE || code === delimiterCode;
  const delimiterCode = delimiter.charCodeAt(0);
  let [cells, cell, line, startLine, isQuoted, isBlank] = [[] as string[], "", firstLine, firstLine, false, true];
  let marks = 0;
  // Builds a cell from long pieces, because a cell of a million characters would be copied for each short one.
  const add = (piece: string): void => {
    if (piece === "") return;
    cell += piece;
    isBlank &&= piece.trim() === "";
  };
  const endCell = (): void => {
    cells.push(isQuoted ? cell : cell.trim());
    [cell, isQuoted, isBlank] = ["", false, true];
  };
  const endRow = (): CsvRow[] => {
    endCell();
    const row = { line: startLine, cells };
    cells = [];
    return row.cells.length > 1 || row.cells[0] !== "" ? [row] : [];
  };
  for (let at = told?.[0].length ?? 0; at < source.length;) {
    let end = at;
    while (end < source.length && !isEnd(source.charCodeAt(end))) end += 1;
    add(source.slice(at, end));
    if (end === source.length) break;
    if ((marks += 1) % MARKS_AT_ONCE === 0) yield null;
    at = end + 1;
    const char = source[end]!;
    if (char === delimiter) endCell();
    else if (char !== '"') {
      if (char === "\r" && source[at] === "\n") continue;
      line += 1;
      yield* endRow();
      startLine = line;
    } else if (!isBlank) add(char);
    else {
      [isQuoted, cell] = [true, ""];
      for (const { piece, to } of quotedFrom(source, at)) {
        add(piece);
        line += lineEndsIn(piece);
        at = to;
        if ((marks += 1) % MARKS_AT_ONCE === 0) yield null;
      }
    }
  }
  if (cell !== "" || cells.length > 0) yield* endRow();
}

/** Marks are delimiters, quotes and line ends. */
const MARKS_AT_ONCE = 4_096;
const [LF, CR, QUOTE] = [0x0a, 0x0d, 0x22];

/** Yields the text of a quoted cell up to its closing quote, in pieces that end with one of a doubled quote. */
function* quotedFrom(source: string, from: number): Generator<{ piece: string; to: number }, void, void> {
  for (let at = from; ;) {
    const quote = source.indexOf('"', at);
    if (quote === -1) return yield { piece: source.slice(at), to: source.length };
    const isDoubled = source[quote + 1] === '"';
    yield { piece: source.slice(at, quote + Number(isDoubled)), to: quote + 1 + Number(isDoubled) };
    if (!isDoubled) return;
    at = quote + 2;
  }
}

function lineEndsIn(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === LF || (code === CR && text.charCodeAt(at + 1) !== LF)) count += 1;
  }
  return count;
}

/** Longer than the header of any invoice. */
const HEAD_CHARACTERS_MAX = 65_536;

function delimiterOf(text: string): string {
  const [head = ""] = text
    .slice(0, HEAD_CHARACTERS_MAX)
    .replaceAll(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const count = (delimiter: string): number => head.split(delimiter).length;
  return [",", ";", "\t"].reduce((best, one) => (count(one) > count(best) ? one : best));
}

/** A whole number in a cell, such as a quantity, `-1` or `3.00`; `null` for other text. */
export function wholeOf(cell: string): number | null {
  return /^-?\d{1,9}([.,]0{1,2})?$/.test(cell) ? Number.parseInt(cell, 10) : null;
}
