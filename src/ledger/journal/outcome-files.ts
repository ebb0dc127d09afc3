import { close, constants, open, readFileSync, write } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { crc32 } from "node:zlib";
import { syncDirectory } from "../../terms/platform/make-directory.ts";
import { listNumbered, type NumberedFile } from "./intent-files.ts";

/*
 * The format of the outcome log: a line for each ended run, `<checksum> <number> <first> <record>`. Numbers count the
 * runs of a journal; `first` is the number of the first line in the same write. Every write is a group of whole lines,
 * padded to whole pages, and begins only when the previous one is on disk. Files are reused from their beginning:
 * content after the last group, whether lines with lower numbers or pieces of lines, is from an earlier use.
 */

const PAGE_BYTES = 4096;
const NEWLINE = 0x0a;
/** Including the space after the checksum. */
const CHECKSUM_BYTES = 9;
const LINE = /^([0-9a-f]{8}) ((\d+) (\d+) (.*))$/s;

export function outcomeFileName(number: number): string {
  return `outcomes-${String(number).padStart(8, "0")}.log`;
}

/** The log's files in a directory, in the order they were created. */
export function listOutcomeFiles(directory: string): readonly NumberedFile[] {
  return listNumbered(directory, "outcomes");
}

/** A run that has ended: its number, and its record as JSON on one line. */
export interface NumberedRecord {
  readonly number: number;
  readonly text: string;
}

/**
 * The bytes of one write: whole pages, the last byte of which ends a line. Uses the buffer if it is large
 * enough.
 */
export function groupOf(records: readonly NumberedRecord[], buffer: Buffer = Buffer.alloc(0)): Buffer {
  const first = records[0]!.number;
  const lines = records.map(({ number, text }) => `${number} ${first} ${text}\n`);
  const bytes = lines.reduce((sum, line) => sum + CHECKSUM_BYTES + Buffer.byteLength(line), 0);
  const size = Math.ceil(bytes / PAGE_BYTES) * PAGE_BYTES;
  const group = buffer.length < size ? Buffer.allocUnsafe(size) : buffer.subarray(0, size);
  let at = 0;
  for (const line of lines) {
    const from = at + CHECKSUM_BYTES;
    const to = from + group.write(line, from);
    const checksum = crc32(group.subarray(from, to - 1))
      .toString(16)
      .padStart(8, "0");
    group.write(`${checksum} `, at, "latin1");
    at = to;
  }
  group.fill(0, at);
  group[size - 1] = NEWLINE;
  return group;
}

interface OutcomeLine extends NumberedRecord {
  readonly first: number;
}

/** The outcomes in the log after a number, in the order of numbers. */
export interface LoggedOutcomes {
  readonly records: readonly NumberedRecord[];
  /**
   * The number of unreadable outcomes: those that are missing before the last group. A power cut can damage only the
   * last group, which is not counted.
   */
  readonly lost: number;
}

export function readOutcomes(directory: string, after: number): LoggedOutcomes {
  const found = new Map<number, OutcomeLine>();
  for (const { name } of listOutcomeFiles(directory)) {
    for (const line of linesOf(bytesOf(join(directory, name)))) if (line.number > after) found.set(line.number, line);
  }
  const records = [...found.values()].toSorted((one, other) => one.number - other.number);
  const upTo = records.at(-1)?.first ?? 0;
  const before = records.filter(({ number }) => number < upTo).length;
  // A journal without a position in the log is a new one that has replaced another.
  const from = after === 0 ? (records[0]?.number ?? 1) : after + 1;
  return { records, lost: Math.max(0, upTo - from - before) };
}

/** A file that is deleted during the read has all its content in the journal. */
function bytesOf(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === "ENOENT") return Buffer.alloc(0);
    throw error;
  }
}

/** The lines with a correct checksum. */
function* linesOf(bytes: Buffer): Generator<OutcomeLine> {
  let start = 0;
  for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
    const match = bytes[start] === 0 ? null : LINE.exec(bytes.toString("utf8", start, end));
    start = end + 1;
    if (match === null) continue;
    const [, checksum = "", line = "", number, first, text = ""] = match;
    if (crc32(line) === Number.parseInt(checksum, 16)) yield { number: Number(number), first: Number(first), text };
  }
}

// ---- writing -------------------------------------------------------------------------------------------------------

export interface OutcomeFile {
  /**
   * Resolves when the bytes are on disk. If it rejects, some or all of them may be, and the file must get no further
   * writes.
   */
  write(bytes: Uint8Array, at: number): Promise<void>;
  close(): void;
}

/**
 * Creates a file with blocks already written, so that a sync of overwritten bytes does not involve the file system's
 * own journal.
 */
export type MakeOutcomeFile = (path: string, bytes: number) => Promise<OutcomeFile>;

const openFile = promisify(open);

/**
 * With O_DSYNC each write is also an fdatasync: one round trip to the thread pool, and no dirty page for which a later
 * write would wait.
 */
const { O_RDWR, O_CREAT, O_EXCL, O_DSYNC } = constants;

export const makeOutcomeFile: MakeOutcomeFile = async (path, bytes) => {
  // A system without O_DSYNC would ignore the flag and sync nothing.
  if (!O_DSYNC) throw Object.assign(new Error("no O_DSYNC"), { code: "ENOSYS" });
  const file = new SyncedFile(await openFile(path, O_RDWR | O_CREAT | O_EXCL | O_DSYNC, 0o600));
  try {
    await file.write(Buffer.alloc(bytes), 0);
    syncDirectory(dirname(path));
    return file;
  } catch (error) {
    file.close();
    throw error;
  }
};

class SyncedFile implements OutcomeFile {
  readonly #descriptor: number;
  #isWriting = false;
  #isClosed = false;

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(bytes: Uint8Array, at: number): Promise<void> {
    this.#isWriting = true;
    return new Promise((resolve, reject) => {
      write(this.#descriptor, bytes, 0, bytes.length, at, (error, written) => {
        this.#isWriting = false;
        if (this.#isClosed) this.close();
        if (error !== null) reject(error);
        else if (written === bytes.length) resolve();
        else reject(Object.assign(new Error("short write"), { code: "ENOSPC" }));
      });
    });
  }

  /** Call it only if no write is waiting to start: the next opened file would get its descriptor and its bytes. */
  close(): void {
    this.#isClosed = true;
    if (this.#isWriting) return;
    // The result does not matter, because every write has already reported whether it is on disk.
    close(this.#descriptor, () => {});
  }
}
