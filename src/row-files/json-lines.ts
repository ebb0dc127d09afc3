import { isUtf8 } from "node:buffer";
import type { Readable } from "node:stream";
import { isJsonObject, type Json, readJsonExactly } from "../terms/json/json.ts";
import { createFile } from "./create-file.ts";
import {
  type Column,
  PIECE_ROWS,
  type FileRow,
  RowFileError,
  type RowReader,
  type FileRowValues,
  type RowWriter,
} from "./row-file.ts";

const LINE_BYTES_MAX = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One object on each line. */
export function readJsonLines(openBytes: () => Readable): RowReader {
  return { columns: null, pieces: { [Symbol.asyncIterator]: () => piecesOf(openBytes()) } };
}

async function* piecesOf(bytes: Readable): AsyncGenerator<readonly FileRow[], void, void> {
  let [number, piece] = [0, [] as FileRow[]];
  for await (const line of linesOf(bytes)) {
    const text = line.toString("utf8").trim();
    if (text === "") continue;
    number += 1;
    piece.push(isUtf8(line) ? readRow(number, text) : { number, problem: "the line is not UTF-8" });
    if (piece.length < PIECE_ROWS) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

function readRow(number: number, text: string): FileRow {
  let value: Json;
  try {
    value = readJsonExactly(text);
  } catch {
    return { number, problem: "the line is not JSON" };
  }
  return isJsonObject(value) ? { number, values: value } : { number, problem: "the line is not a JSON object" };
}

async function* linesOf(source: Readable): AsyncGenerator<Buffer, void, void> {
  let [rest, lines] = [Buffer.alloc(0), 0];
  for await (const chunk of source as AsyncIterable<Buffer>) {
    let bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    if (lines === 0 && bytes.subarray(0, 3).equals(Buffer.from("\uFEFF"))) bytes = bytes.subarray(3);
    let from = 0;
    for (let end = bytes.indexOf(NEWLINE, from); end !== -1; end = bytes.indexOf(NEWLINE, from)) {
      lines += 1;
      yield bytes.subarray(from, end);
      from = end + 1;
    }
    rest = Buffer.from(bytes.subarray(from));
    if (rest.length > LINE_BYTES_MAX) throw new RowFileError(`Line ${lines + 1} is longer than 16 MiB.`);
  }
  yield rest;
}

export async function writeJsonLines(path: string, columns: readonly Column[]): Promise<RowWriter> {
  const file = await createFile(path);
  const valueOf = (row: FileRowValues, { name, type }: Column): Json => {
    const value = row[name] ?? null;
    return type === "moment" && value !== null ? new Date(value as number).toISOString() : value;
  };
  return {
    async write(rows) {
      const lines = rows.map((row) =>
        JSON.stringify(Object.fromEntries(columns.map((column) => [column.name, valueOf(row, column)]))),
      );
      if (lines.length > 0) await file.write(`${lines.join("\n")}\n`);
    },
    end: () => file.end(),
  };
}
