import type { Json } from "../terms/json/json.ts";

/**
 * Files of rows. A reader gives rows in pieces and a writer takes them in pieces, so that a file of any length needs
 * little memory.
 */

export const ROW_FORMATS = ["csv", "jsonl", "parquet"] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/**
 * The values of a row by column. A cell of CSV is a text, or null if it is empty. An integer of Parquet beyond 2^53 and
 * a decimal are texts, and so are dates and times, in ISO 8601.
 */
export type FileRowValues = Readonly<Record<string, Json>>;

/** `number` counts rows from 1, unreadable ones too. Blank lines and the header are not rows. */
export type FileRow = ReadableRow | UnreadableRow;

export interface ReadableRow {
  readonly number: number;
  readonly values: FileRowValues;
}

/** A row that cannot be read, in a file whose other rows can. The problem is a phrase without the row's values. */
export interface UnreadableRow {
  readonly number: number;
  readonly problem: string;
}

export function isReadable(row: FileRow): row is ReadableRow {
  return "values" in row;
}

/** The rows of a piece, at most. */
export const PIECE_ROWS = 1_000;

export interface RowReader {
  /** The names of the columns; `null` if each row has its own, as in JSON Lines. */
  readonly columns: readonly string[] | null;
  /**
   * One pass over the file, in pieces of at most `PIECE_ROWS` rows. Ending the iteration closes the file.
   * @throws RowFileError
   */
  readonly pieces: AsyncIterable<readonly FileRow[]>;
}

export interface ReaderOptions {
  /** The character between the cells of CSV; found in the first line if left out. */
  readonly delimiter?: string | undefined;
}

/** The file cannot be read as a whole. The message is a sentence that names the line, if there are lines. */
export class RowFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RowFileError";
  }
}

/**
 * `json`: any value, written as JSON text. `moment`: milliseconds since 1970, in CSV and JSON Lines as ISO 8601, in
 * Parquet as a timestamp in UTC. `amount`: decimal text such as `0.35`, in Parquet an exact decimal with six digits
 * after the point.
 */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "json" | "moment" | "amount";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface RowWriter {
  /** Resolves when more rows may be written. A column that a row lacks is empty. */
  write(rows: readonly FileRowValues[]): Promise<void>;
  /** Makes the file durable and closes it. Without it, the file is incomplete. */
  end(): Promise<void>;
}

const FORMAT_OF_ENDING: Readonly<Record<string, RowFormat>> = {
  csv: "csv",
  tsv: "csv",
  jsonl: "jsonl",
  ndjson: "jsonl",
  parquet: "parquet",
};

/** The format by the ending of the file's name; `null` for another ending. */
export function formatOf(path: string): RowFormat | null {
  return FORMAT_OF_ENDING[/\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? ""] ?? null;
}
