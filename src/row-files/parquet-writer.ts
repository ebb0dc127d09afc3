import { ExactNumber } from "../terms/json/exact-number.ts";
import { createFile } from "./create-file.ts";
import { createParquetEncoder, type ParquetCell } from "./parquet-encoder.ts";
import type { Json } from "../terms/json/json.ts";
import type { Column, RowWriter } from "./row-file.ts";

/** Writes Parquet with one row group in memory. */
export async function openParquetWriter(path: string, columns: readonly Column[]): Promise<RowWriter> {
  const file = await createFile(path);
  const encoder = createParquetEncoder(columns);
  return {
    async write(rows) {
      const bytes = encoder.add(rows.map((row) => columns.map(({ name, type }) => toCell(row[name], type))));
      if (bytes.length > 0) await file.write(bytes);
    },
    async end() {
      await file.write(encoder.end());
      await file.end();
    },
  };
}

function toCell(value: Json | undefined, type: Column["type"]): ParquetCell {
  if (value === undefined || value === null) return null;
  if (type === "json") return JSON.stringify(value);
  if (value instanceof ExactNumber) return value.literal;
  return typeof value === "object" ? JSON.stringify(value) : value;
}
