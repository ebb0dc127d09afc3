import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { open } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OperatorError } from "../terms/operator-error.ts";
import { openReader } from "../row-files/open-reader.ts";
import { cannotRead } from "../terms/platform/file-problem.ts";
import { formatOf, isReadable, RowFileError, type RowFormat, type RowReader } from "../row-files/row-file.ts";

/** The input file of a batch, which can be read any number of times. */
export interface BatchInput {
  readonly path: string;
  readonly format: RowFormat;
  /** The names of its columns; in JSON Lines those of its first rows. */
  readonly columns: readonly string[];
  /** SHA-256 of the file, in hexadecimal. */
  readonly sha256: string;
  readonly rows: number;
  /** One pass over its rows. @throws OperatorError */
  read(): Promise<RowReader>;
}

/** Copies standard input to a file that only its owner can read. */
export async function copyInput(stdin: Readable, path: string): Promise<void> {
  await pipeline(stdin, createWriteStream(path, { mode: 0o600 }));
}

/** Reads the whole file once, to count its rows. @throws OperatorError */
export async function openInput(path: string): Promise<BatchInput> {
  const format = formatOf(path) ?? (await formatByContent(path));
  const read = async (): Promise<RowReader> => openReader(path, format).catch(refuseFile(path));
  const sha256 = await digestOf(path);
  const reader = await read();
  const names = new Set(reader.columns ?? []);
  let rows = 0;
  try {
    for await (const piece of reader.pieces) {
      if (rows === 0 && reader.columns === null)
        for (const row of piece) if (isReadable(row)) for (const name of Object.keys(row.values)) names.add(name);
      rows += piece.length;
    }
  } catch (error) {
    refuseFile(path)(error);
  }
  if (rows === 0) throw new OperatorError("invalid", "The file has no rows.");
  return { path, format, columns: [...names], sha256, rows, read };
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash("sha256");
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>)
      hash.update(chunk);
  } catch (error) {
    refuseFile(path)(error);
  }
  return hash.digest("hex");
}

const FIRST_BYTES = 4_096;

/** The format of a file whose name does not say it. */
async function formatByContent(path: string): Promise<RowFormat> {
  const file = await open(path, "r").catch(refuseFile(path));
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(FIRST_BYTES), 0, FIRST_BYTES, 0).catch(refuseFile(path));
    const text = buffer.toString("utf8", 0, bytesRead);
    if (text.startsWith("PAR1")) return "parquet";
    return text
      .replace(/^\uFEFF/, "")
      .trimStart()
      .startsWith("{")
      ? "jsonl"
      : "csv";
  } finally {
    await file.close();
  }
}

function refuseFile(path: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof RowFileError) throw new OperatorError("invalid", error.message, { cause: error });
    throw (error as NodeJS.ErrnoException).code === undefined
      ? error
      : cannotRead(error as NodeJS.ErrnoException, path);
  };
}
