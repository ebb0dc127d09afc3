import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { formatOf } from "../row-files/row-file.ts";
import { openWriter } from "../row-files/open-writer.ts";
import type { BatchFiles } from "./batch-files.ts";
import { ColumnFinder, flattenRecord } from "./flatten-record.ts";
import { LineReader, type RecordIndex, recordsOf } from "./records-file.ts";

/**
 * Makes the output of the records: each row once, in the order of rows. The file is replaced when it is complete.
 * @param order the ids of the sources or the function, in the order in which their columns come
 */
export async function writeOutput(files: BatchFiles, index: RecordIndex, order: readonly string[]): Promise<void> {
  const format = formatOf(files.out) ?? "jsonl";
  const draft = `${files.out}.draft`;
  await rm(draft, { force: true });
  if (format === "jsonl") {
    if (index.isInOrder) return;
    await sortRecords(files.records, draft, index);
  } else {
    const finder = new ColumnFinder();
    for (const piece of recordsOf(files.records, index)) for (const record of piece) finder.add(flattenRecord(record));
    const writer = await openWriter(draft, format, finder.columns(order));
    for (const piece of recordsOf(files.records, index)) await writer.write(piece.map(flattenRecord));
    await writer.end();
  }
  await rename(draft, files.out);
  await syncFolder(dirname(files.out));
}

const WRITE_BYTES = 1 << 20;

async function sortRecords(records: string, draft: string, index: RecordIndex): Promise<void> {
  const reader = new LineReader(records);
  const file = await open(draft, "wx", 0o600);
  try {
    let [pieces, bytes] = [[] as Buffer[], 0];
    const flush = async (): Promise<void> => {
      await file.appendFile(Buffer.concat(pieces));
      [pieces, bytes] = [[], 0];
    };
    for (const [, offset] of index.entries()) {
      const line = reader.lineAt(offset);
      pieces.push(Buffer.from(line), Buffer.from("\n"));
      bytes += line.length + 1;
      if (bytes >= WRITE_BYTES) await flush();
    }
    await flush();
    await file.sync();
  } finally {
    await file.close();
    reader.close();
  }
}

/** Makes new and renamed files of a folder survive a power failure. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
