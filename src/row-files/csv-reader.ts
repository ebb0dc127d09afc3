import { isUtf8 } from "node:buffer";
import { pipeline, type Readable, Transform } from "node:stream";
import { CsvError, parse } from "csv-parse";
import { PIECE_ROWS, type ReaderOptions, type FileRow, RowFileError, type RowReader } from "./row-file.ts";

/** Longer than the first line of any table. */
const HEAD_BYTES = 256 * 1024;
/** A longer record is taken for a quote that is not closed, whose text would fill the memory. */
const RECORD_CHARACTERS_MAX = 16 * 1024 * 1024;
const COLUMNS_MAX = 10_000;
const DELIMITERS = [",", ";", "\t", "|"];

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

/**
 * Reads CSV as in RFC 4180, in UTF-8. Without a delimiter, it is the one of comma, semicolon, tab and bar that is most
 * frequent in the first line; a line `sep=;` before it, as Excel writes it, is no line of the table. Lines may end in
 * CR, LF or both. An empty cell is null, and blank lines are no rows.
 * @throws RowFileError
 */
export async function openCsvReader(openBytes: () => Readable, options: ReaderOptions): Promise<RowReader> {
  const head = await readHead(openBytes());
  const [sep, told] = /^\ufeff?sep=([^\r\n])(?:\r\n|\r|\n|$)/.exec(head) ?? [];
  const delimiter = options.delimiter ?? told ?? delimiterOf(head);
  const isTold = sep !== undefined;
  const open = () => parseBytes(openBytes(), delimiter, isTold);
  const header = await readHeader(open());
  return { columns: header, pieces: { [Symbol.asyncIterator]: () => piecesOf(open(), header) } };
}

async function readHead(source: Readable): Promise<string> {
  let bytes = Buffer.alloc(0);
  for await (const chunk of source as AsyncIterable<Buffer>) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length >= HEAD_BYTES) break;
  }
  if ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff))
    throw new RowFileError("The file is in UTF-16. Save it as UTF-8.");
  if (bytes.includes(0)) throw new RowFileError("The file is not a text: it contains zero bytes.");
  return bytes.toString("utf8");
}

function delimiterOf(text: string): string {
  const [line = ""] = text.replaceAll(/"[^"]*"/g, "").split(/[\r\n]/, 1);
  const count = (delimiter: string): number => line.split(delimiter).length;
  return DELIMITERS.reduce((best, one) => (count(one) > count(best) ? one : best));
}

async function* parseBytes(
  bytes: Readable,
  delimiter: string,
  isTold: boolean,
): AsyncGenerator<ParsedRecord, void, void> {
  const parser = parse({
    bom: true,
    delimiter,
    from_line: isTold ? 2 : 1,
    info: true,
    max_record_size: RECORD_CHARACTERS_MAX,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    skip_empty_lines: true,
  });
  let failed: unknown;
  pipeline(bytes, onlyUtf8(), parser, (error) => (failed = error));
  try {
    // The records have this form because of `info`.
    yield* parser as AsyncIterable<ParsedRecord>;
  } catch (thrown) {
    throw toFileError(failed ?? thrown);
  } finally {
    bytes.destroy();
  }
}

/** Passes bytes on unchanged. @throws RowFileError, with the line, if they are not UTF-8 */
function onlyUtf8(): Transform {
  let line = 1;
  let rest = Buffer.alloc(0);
  const check = (bytes: Buffer): void => {
    for (let from = 0, at = bytes.indexOf(LF); ; from = at + 1, at = bytes.indexOf(LF, from)) {
      const end = at === -1 ? bytes.length : at;
      if (!isUtf8(bytes.subarray(from, end)))
        throw new RowFileError(`Line ${line} is not UTF-8. Save the file as UTF-8.`);
      if (at === -1) return;
      line += 1;
    }
  };
  const linesIn = (bytes: Buffer): number => {
    let lines = 0;
    for (let at = bytes.indexOf(LF); at !== -1; at = bytes.indexOf(LF, at + 1)) lines += 1;
    return lines;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      const end = bytes.length - unfinished(bytes);
      const whole = bytes.subarray(0, end);
      rest = Buffer.from(bytes.subarray(end));
      try {
        if (isUtf8(whole)) line += linesIn(whole);
        else check(whole);
        done(null, whole);
      } catch (error) {
        done(error as Error);
      }
    },
    flush(done) {
      try {
        check(rest);
        done(null, rest);
      } catch (error) {
        done(error as Error);
      }
    },
  });
}

const LF = 0x0a;

/** The number of bytes at the end that may be the beginning of a character. */
function unfinished(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? back : 0;
  }
  return 0;
}

async function readHeader(records: AsyncGenerator<ParsedRecord, void, void>): Promise<readonly string[]> {
  for await (const { record } of records) {
    const names = record.map((name) => name.trim());
    const unnamed = names.findIndex((name) => name === "");
    if (unnamed !== -1) throw new RowFileError(`The first line does not name column ${unnamed + 1}.`);
    if (names.length > COLUMNS_MAX) throw new RowFileError(`The first line names more than ${COLUMNS_MAX} columns.`);
    const seen = new Set<string>();
    const twice = names.find((name) => seen.size === seen.add(name).size);
    if (twice !== undefined) throw new RowFileError(`The first line names the column ${JSON.stringify(twice)} twice.`);
    if (names.every((name) => /^[-+\d.,\s]+$/.test(name)))
      throw new RowFileError("The first line must name the columns, but it has only numbers.");
    return names;
  }
  throw new RowFileError("The file is empty. Its first line must name the columns.");
}

async function* piecesOf(
  records: AsyncGenerator<ParsedRecord, void, void>,
  header: readonly string[],
): AsyncGenerator<readonly FileRow[], void, void> {
  let rows: FileRow[] = [];
  let number = 0;
  let isHeader = true;
  for await (const { record, info } of records) {
    if (!isHeader) rows.push(toRow((number += 1), record, header, info.lines));
    isHeader = false;
    if (rows.length < PIECE_ROWS) continue;
    yield rows;
    rows = [];
  }
  if (rows.length > 0) yield rows;
}

function toRow(number: number, record: readonly string[], header: readonly string[], lastLine: number): FileRow {
  if (record.length !== header.length) {
    const breaks = record.reduce((sum, cell) => sum + (cell.match(/\r\n|\r|\n/g)?.length ?? 0), 0);
    const cells = record.length === 1 ? "1 cell" : `${record.length} cells`;
    return { number, problem: `line ${lastLine - breaks} has ${cells}, and the first line ${header.length}` };
  }
  const cells = header.map((name, at) => [name, record[at] === "" ? null : record[at]!] as const);
  return { number, values: Object.fromEntries(cells) };
}

function toFileError(thrown: unknown): unknown {
  if (!(thrown instanceof CsvError)) return thrown;
  const line = Number(thrown["lines"]);
  const says: Readonly<Record<string, string>> = {
    CSV_QUOTE_NOT_CLOSED: `A quote that is opened before line ${line} is not closed.`,
    CSV_INVALID_CLOSING_QUOTE: `Line ${line} has text after a closing quote. A quote within a quoted cell is written twice.`,
    INVALID_OPENING_QUOTE: `Line ${line} has a quote within a cell that is not quoted.`,
    CSV_MAX_RECORD_SIZE: `The row before line ${line} is too long: a quote may not be closed.`,
  };
  return new RowFileError(says[thrown.code] ?? `Line ${line} cannot be read.`, { cause: thrown });
}
