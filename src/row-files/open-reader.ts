import { createReadStream } from "node:fs";
import { Readable } from "node:stream";
import { openCsvReader } from "./csv-reader.ts";
import { readJsonLines } from "./json-lines.ts";
import type { ReaderOptions, RowFormat, RowReader } from "./row-file.ts";

const CHUNK_BYTES = 256 * 1024;
const TEXT_CHUNK_BYTES = 16 * 1024;

/** Opens a regular file, for any number of rows. @throws RowFileError */
export async function openReader(path: string, format: RowFormat, options: ReaderOptions = {}): Promise<RowReader> {
  const openBytes = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
  if (format === "csv") return openCsvReader(openBytes, options);
  if (format === "jsonl") return readJsonLines(openBytes);
  // Its code is large, and most files are of another format.
  const { openParquetReader } = await import("./parquet-reader.ts");
  return openParquetReader(path);
}

/** The same for the text of a small file. @throws RowFileError */
export async function openTextReader(text: string, format: Exclude<RowFormat, "parquet">): Promise<RowReader> {
  const bytes = Buffer.from(text);
  // In chunks, so that other work can run between them.
  const chunks = Array.from({ length: Math.ceil(bytes.length / TEXT_CHUNK_BYTES) }, (_, at) =>
    bytes.subarray(at * TEXT_CHUNK_BYTES, (at + 1) * TEXT_CHUNK_BYTES),
  );
  const openBytes = () => Readable.from(chunks, { objectMode: false });
  return format === "csv" ? openCsvReader(openBytes, {}) : readJsonLines(openBytes);
}
