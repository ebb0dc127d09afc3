import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { isJsonObject, type Json, readJsonExactly } from "../terms/json/json.ts";
import { type Column, type Row, RowFileError, type RowReader, type RowWriter } from "./row-file.ts";

const PIECE_ROWS = 1_000;
const LINE_BYTES_MAX = 16 * 1024 * 1024;
const NEWLINE = 0x0a;

/** One object on each line. */
export function readJsonLines(path: string): RowReader {
  return { columns: null, pieces: piecesOf(path) };
}

async function* piecesOf(path: string): AsyncGenerator<readonly Row[], void, void> {
  let [number, piece] = [0, [] as Row[]];
  for await (const line of linesOf(path)) {
    const text = line.toString("utf8").trim();
    if (text === "") continue;
    number += 1;
    piece.push(readRow(number, text));
    if (piece.length < PIECE_ROWS) continue;
    yield piece;
    piece = [];
  }
  if (piece.length > 0) yield piece;
}

function readRow(number: number, text: string): Row {
  let value: Json;
  try {
    value = readJsonExactly(text);
  } catch {
    return { number, problem: "the line is not JSON" };
  }
  return isJsonObject(value) ? { number, values: value } : { number, problem: "the line is not a JSON object" };
}

async function* linesOf(path: string): AsyncGenerator<Buffer, void, void> {
  let [rest, lines] = [Buffer.alloc(0), 0];
  for await (const chunk of createReadStream(path, { highWaterMark: 256 * 1024 }) as AsyncIterable<Buffer>) {
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
  const file = await open(path, "wx", 0o600);
  return {
    async write(rows) {
      const lines = rows.map((row) =>
        JSON.stringify(Object.fromEntries(columns.map(({ name }) => [name, row[name] ?? null]))),
      );
      if (lines.length > 0) await file.writeFile(`${lines.join("\n")}\n`);
    },
    async end() {
      await file.sync();
      await file.close();
    },
  };
}
