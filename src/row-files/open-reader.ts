import { readJsonLines } from "./json-lines.ts";
import { type RowFormat, RowFileError, type RowReader } from "./row-file.ts";

/** Opens a regular file, for any number of rows. @throws RowFileError */
export async function openReader(path: string, format: RowFormat): Promise<RowReader> {
  if (format === "jsonl") return readJsonLines(path);
  throw new RowFileError(`Files of the format ${format} cannot be read.`);
}
