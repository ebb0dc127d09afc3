import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { readJsonExactly } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { BatchRecord } from "./record.ts";

const NEWLINE = 0x0a;
const HEAD = /^\{"row":(\d+),/;
const HEAD_BYTES = 24;

/** Where the last record of each row is in the records file. */
export class RecordIndex {
  #offsets = new Float64Array(1_024).fill(-1);
  /** Whether the file has one record for each row, in the order of rows. */
  isInOrder = true;
  #lastRow = 0;
  count = 0;
  /** The length of the file up to the last complete line. */
  bytes = 0;

  add(row: number, bytes: number): void {
    if (row >= this.#offsets.length) {
      const larger = new Float64Array(Math.max(row + 1, 2 * this.#offsets.length)).fill(-1);
      larger.set(this.#offsets);
      this.#offsets = larger;
    }
    if (this.#offsets[row] === -1) this.count += 1;
    if (row <= this.#lastRow) this.isInOrder = false;
    this.#lastRow = row;
    this.#offsets[row] = this.bytes;
    this.bytes += bytes;
  }

  has(row: number): boolean {
    return (this.#offsets[row] ?? -1) !== -1;
  }

  /** The offsets by row, in the order of rows. */
  *entries(): Generator<readonly [row: number, offset: number], void, void> {
    for (let row = 1; row < this.#offsets.length; row += 1)
      if (this.#offsets[row] !== -1) yield [row, this.#offsets[row]!];
  }

  offsetOf(row: number): number {
    return this.#offsets[row]!;
  }
}

/** Reads where the records are. An incomplete last line does not count. @throws OperatorError */
export async function indexRecords(path: string): Promise<RecordIndex> {
  const index = new RecordIndex();
  try {
    let head: Buffer = Buffer.alloc(0);
    let length = 0;
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      let from = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
        const start = length === 0 ? chunk.subarray(from, from + HEAD_BYTES) : headOf(head, chunk.subarray(from, end));
        const row = HEAD.exec(start.toString("latin1"))?.[1];
        if (row === undefined)
          throw new OperatorError("refused", `${path} has a line that is not a record of a batch.`);
        index.add(Number(row), length + end + 1 - from);
        [from, length] = [end + 1, 0];
      }
      head = headOf(length === 0 ? Buffer.alloc(0) : head, chunk.subarray(from));
      length += chunk.length - from;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  return index;
}

function headOf(before: Buffer, chunk: Buffer): Buffer {
  return before.length >= HEAD_BYTES ? before : Buffer.concat([before, chunk.subarray(0, HEAD_BYTES)]);
}

const WINDOW_BYTES = 1 << 20;

/** Reads single lines of a file. Lines that follow each other are read at once. */
export class LineReader {
  readonly #file: number;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(path: string) {
    this.#file = openSync(path, "r");
  }

  /** The bytes of the line that begins there, without its end. */
  lineAt(offset: number): Buffer {
    for (let size = WINDOW_BYTES; ; size *= 2) {
      const start = offset - this.#at;
      const end = start >= 0 && start < this.#window.length ? this.#window.indexOf(NEWLINE, start) : -1;
      if (end !== -1) return this.#window.subarray(start, end);
      const window = Buffer.allocUnsafe(size);
      const bytes = readSync(this.#file, window, 0, size, offset);
      [this.#window, this.#at] = [window.subarray(0, bytes), offset];
      if (bytes < size && !this.#window.includes(NEWLINE)) throw new OperatorError("refused", "A record is cut short.");
    }
  }

  recordAt(offset: number): BatchRecord {
    return readJsonExactly(this.lineAt(offset).toString("utf8")) as unknown as BatchRecord;
  }

  close(): void {
    closeSync(this.#file);
  }
}

const PIECE_RECORDS = 1_000;

/** Each row's last record, in the order of rows, in pieces. */
export function* recordsOf(path: string, index: RecordIndex): Generator<readonly BatchRecord[], void, void> {
  if (index.count === 0) return;
  const reader = new LineReader(path);
  try {
    let piece: BatchRecord[] = [];
    for (const [, offset] of index.entries()) {
      piece.push(reader.recordAt(offset));
      if (piece.length < PIECE_RECORDS) continue;
      yield piece;
      piece = [];
    }
    if (piece.length > 0) yield piece;
  } finally {
    reader.close();
  }
}

/** The same of a file that no process is writing. @throws OperatorError if it is not a records file */
export async function* readRecords(path: string): AsyncGenerator<readonly BatchRecord[], void, void> {
  yield* recordsOf(path, await indexRecords(path));
}
