import { writeJsonLines } from "./json-lines.ts";
import { type Column, type RowFormat, RowFileError, type RowWriter } from "./row-file.ts";

/** Creates a file that only its owner can read. It must not exist yet. */
export async function openWriter(path: string, format: RowFormat, columns: readonly Column[]): Promise<RowWriter> {
  if (format === "jsonl") return writeJsonLines(path, columns);
  throw new RowFileError(`Files of the format ${format} cannot be written.`);
}
