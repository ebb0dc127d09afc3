import { openCsvWriter } from "./csv-writer.ts";
import { writeJsonLines } from "./json-lines.ts";
import type { Column, RowFormat, RowWriter } from "./row-file.ts";

/** Creates a file that only its owner can read. It must not exist yet. */
export async function openWriter(path: string, format: RowFormat, columns: readonly Column[]): Promise<RowWriter> {
  if (format === "csv") return openCsvWriter(path, columns);
  if (format === "jsonl") return writeJsonLines(path, columns);
  const { openParquetWriter } = await import("./parquet-writer.ts");
  return openParquetWriter(path, columns);
}
