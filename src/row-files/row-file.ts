import type { Json } from "../terms/json/json.ts";

/**
 * Files of rows. A reader gives rows in pieces and a writer takes them in pieces, so that a file of any length needs
 * little memory.
 */

export const ROW_FORMATS = ["csv", "jsonl", "parquet"] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** The values of a row by column. A cell of CSV is a text, or null if it is empty. */
export type RowValues = Readonly<Record<string, Json>>;

/** `number` counts rows from 1, unreadable ones too. Blank lines and the header are not rows. */
export type Row = ReadableRow | UnreadableRow;

export interface ReadableRow {
  readonly number: number;
  readonly values: RowValues;
}

/** A row that cannot be read, in a file whose other rows can. The problem is a phrase without the row's values. */
export interface UnreadableRow {
  readonly number: number;
  readonly problem: string;
}

export function isReadable(row: Row): row is ReadableRow {
  return "values" in row;
}

export interface RowReader {
  /** The names of the columns; `null` if each row has its own, as in JSON Lines. */
  readonly columns: readonly string[] | null;
  /**
   * One pass over the file, in pieces of a thousand rows at most. Ending the iteration closes the file.
   * @throws RowFileError
   */
  readonly pieces: AsyncIterable<readonly Row[]>;
}

/** The file cannot be read as a whole. The message is a sentence that names the line, if there are lines. */
export class RowFileError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RowFileError";
  }
}

/** `json`: the value is written as JSON text. */
export type ColumnType = "text" | "integer" | "number" | "boolean" | "json";

export interface Column {
  readonly name: string;
  readonly type: ColumnType;
}

export interface RowWriter {
  /** Resolves when more rows may be written. A column that a row lacks is empty. */
  write(rows: readonly RowValues[]): Promise<void>;
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
