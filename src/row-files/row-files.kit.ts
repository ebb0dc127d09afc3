import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openReader } from "./open-reader.ts";
import { openWriter } from "./open-writer.ts";
import type { Column, ReaderOptions, FileRow, RowFormat, FileRowValues } from "./row-file.ts";

/** A folder of the test. */
export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "datarun-rows-"));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

export async function readAll(path: string, format: RowFormat, options?: ReaderOptions): Promise<FileRow[]> {
  const { pieces } = await openReader(path, format, options);
  const rows: FileRow[] = [];
  for await (const piece of pieces) rows.push(...piece);
  return rows;
}

export async function writeAll(
  path: string,
  format: RowFormat,
  columns: readonly Column[],
  rows: readonly FileRowValues[],
): Promise<void> {
  const writer = await openWriter(path, format, columns);
  for (let at = 0; at < rows.length; at += 700) await writer.write(rows.slice(at, at + 700));
  await writer.end();
}
