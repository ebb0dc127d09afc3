import { openCsvReader } from "./csv-reader.ts";
import { readJsonLines } from "./json-lines.ts";
import type { ReaderOptions, RowFormat, RowReader } from "./row-file.ts";

/** Opens a regular file, for any number of rows. @throws RowFileError */
export async function openReader(path: string, format: RowFormat, options: ReaderOptions = {}): Promise<RowReader> {
  if (format === "csv") return openCsvReader(path, options);
  if (format === "jsonl") return readJsonLines(path);
  // Its code is large, and most files are of another format.
  const { openParquetReader } = await import("./parquet-reader.ts");
  return openParquetReader(path);
}
