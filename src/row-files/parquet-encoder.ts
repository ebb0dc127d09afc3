import { ByteWriter, ParquetWriter } from "hyparquet-writer";
import type { DecodedArray, SchemaElement } from "hyparquet";
import { toStoredAmount } from "./parquet-amount.ts";
import type { Column, ColumnType } from "./row-file.ts";

/** A value for a column of its type; `json` takes JSON text. */
export type ParquetCell = string | number | bigint | boolean | null;
export type ParquetRow = readonly ParquetCell[];

/** Encodes rows, and returns the bytes of the file as they become ready. */
export interface ParquetEncoder {
  add(rows: readonly ParquetRow[]): Uint8Array<ArrayBuffer>;
  /** The last rows and the footer. Without it, no reader opens the file. */
  end(): Uint8Array<ArrayBuffer>;
}

/** The encoder has one row group in memory, and so have readers. */
const GROUP_ROWS = 10_000;
const GROUP_CHARACTERS = 8_000_000;

/** As many digits as fit into 64 bits. */
const AMOUNT_DIGITS = 18;
const AMOUNT_SCALE = 6;

const ELEMENTS: Readonly<Record<ColumnType, Omit<SchemaElement, "name">>> = {
  text: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  // Not the type JSON, which some readers return as bytes.
  json: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  integer: { type: "INT64" },
  number: { type: "DOUBLE" },
  boolean: { type: "BOOLEAN" },
  moment: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
  amount: { type: "INT64", converted_type: "DECIMAL", precision: AMOUNT_DIGITS, scale: AMOUNT_SCALE },
};

/** Creates an encoder. Of row groups that it has returned it keeps only their entries in the footer. */
export function createParquetEncoder(columns: readonly Column[]): ParquetEncoder {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    createdBy: "datarun",
    schema: [
      { name: "root", num_children: columns.length },
      ...columns.map(({ name, type }) => ({ name, repetition_type: "OPTIONAL" as const, ...ELEMENTS[type] })),
    ],
  });
  let group: ParquetRow[] = [];
  let characters = 0;

  function encodeGroup(): void {
    const rows = group;
    const columnData = columns.map(({ name, type }, at) => ({
      name,
      offsetIndex: false,
      // Made when the writer comes to the column, so that one column at a time is in memory.
      get data() {
        return rows.map((row) => toStored(row[at] ?? null, type)) as DecodedArray;
      },
    }));
    if (rows.length > 0) void writer.write({ columnData, rowGroupSize: rows.length });
    [group, characters] = [[], 0];
  }
  function take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(bytes.getBytes());
    bytes.index = 0;
    return taken;
  }
  return {
    add(rows) {
      for (const row of rows) {
        group.push(row);
        for (const cell of row) characters += typeof cell === "string" ? cell.length : 0;
        if (group.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) encodeGroup();
      }
      return take();
    },
    end() {
      encodeGroup();
      void writer.finish();
      return take();
    },
  };
}

/** @throws RangeError if the cell has no value of the column's type */
function toStored(cell: ParquetCell, type: ColumnType): ParquetCell {
  if (cell === null) return null;
  if (type === "integer" || type === "moment") return BigInt(cell);
  if (type === "amount") return typeof cell === "bigint" ? cell : toStoredAmount(String(cell));
  if (type === "number") return Number(cell);
  if (type === "boolean") return Boolean(cell);
  return String(cell);
}
