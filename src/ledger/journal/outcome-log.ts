import { unlink, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Clock } from "../../terms/time/clock.ts";
import { diskErrorCode } from "./journal-database.ts";
import {
  groupOf,
  outcomeFileName,
  type MakeOutcomeFile,
  type NumberedRecord,
  type OutcomeFile,
} from "./outcome-files.ts";

/** With more than this in one write, the first records would wait too long for the last. */
const GROUP_CHARACTERS_MAX = 1024 * 1024;
/** A larger group gets a buffer of its own. */
const ROOM_BYTES = 128 * 1024;
/** How many files are kept ready in addition to the current one. */
const SPARE = 1;
/** If so many runs end in a millisecond, there is so long a pause after each write, and more of them share the next. */
const CROWD_PER_MS = 1;
const PAUSE_MS = 1;
/** How long runs are counted. */
const COUNT_MS = 10;

export interface OutcomeLogOptions {
  readonly directory: string;
  readonly firstNumber: number;
  /** The size of one file. */
  readonly fileBytes: number;
  readonly makeFile: MakeOutcomeFile;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Every record up to this number that was appended is on disk. */
  readonly onDurable: (last: number) => void;
  readonly onFailed: (code: string) => void;
}

interface LogFile {
  readonly name: string;
  readonly file: OutcomeFile;
  /** How far it is written, or its size if that is more. */
  end: number;
  /** The last run in it. */
  last: number;
  /** Nothing more is written to it. */
  failed: boolean;
}

/**
 * The log that puts records on disk right after their runs have ended; the journal gets them later, many at a time. One
 * write is in progress at a time, and records that arrive meanwhile go into the next. A file is reused when the journal
 * has everything in it. A file in which a write has failed is never written to again, since nobody knows how much is on
 * disk.
 */
export class OutcomeLog {
  readonly #options: OutcomeLogOptions;
  #nextNumber: number;
  #current: LogFile | null = null;
  #spare: LogFile[] = [];
  /** Replaced files, in which there may be records that the journal does not have yet. */
  #left: LogFile[] = [];
  #pending: NumberedRecord[] = [];
  /** The buffer of the write in progress. */
  #room = Buffer.alloc(0);
  #opening = false;
  #planned = false;
  #writing = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  /** How many runs were written since when; and whether there were many when that was last looked at. */
  #count = 0;
  #countedFrom = Number.NEGATIVE_INFINITY;
  #isCrowded = false;
  #ended = false;

  constructor(options: OutcomeLogOptions) {
    this.#options = options;
    this.#nextNumber = options.firstNumber;
  }

  /** Whether appended records will reach the disk, as far as is known. */
  get usable(): boolean {
    return this.#current !== null;
  }

  get bytes(): number {
    const files = this.#current === null ? [] : [this.#current];
    return [...files, ...this.#spare, ...this.#left].reduce((sum, { end }) => sum + this.#sizeOf(end), 0);
  }

  #sizeOf(end: number): number {
    return Math.max(end, this.#options.fileBytes);
  }

  /** Creates its files. Returns false, and calls `onFailed`, if that is not possible now. */
  async open(): Promise<boolean> {
    if (this.#opening || this.#current !== null) return this.usable;
    this.#opening = true;
    try {
      const file = await this.#make();
      while (this.#spare.length < SPARE) this.#spare.push(await this.#make());
      this.#current = file;
      // A write that never ended may still be using the old buffer.
      this.#room = Buffer.allocUnsafeSlow(ROOM_BYTES);
      if (this.#ended) this.end(true);
      return !this.#ended;
    } catch (error) {
      if (!this.#ended) this.#options.onFailed(diskErrorCode(error));
      return false;
    } finally {
      this.#opening = false;
    }
  }

  async #make(): Promise<LogFile> {
    const name = outcomeFileName(this.#nextNumber);
    this.#nextNumber += 1;
    const path = join(this.#options.directory, name);
    try {
      const file = await this.#options.makeFile(path, this.#options.fileBytes);
      return { name, file, end: 0, last: 0, failed: false };
    } catch (error) {
      unlink(path, () => {});
      throw error;
    }
  }

  /** Does nothing while the log is not usable. */
  append(record: NumberedRecord): void {
    if (this.#current === null) return;
    this.#pending.push(record);
    if (!this.#planned && !this.#writing) this.#plan();
  }

  #plan(): void {
    this.#planned = true;
    const begin = (): void => {
      this.#planned = false;
      if (!this.#writing && this.#current !== null) void this.#write(this.#current);
    };
    const pauseMs = this.#pauseMs;
    if (pauseMs > 0) this.#options.clock.after(pauseMs, begin);
    // After everything that ends in this turn of the event loop.
    else setImmediate(begin);
  }

  /** How long the next write has to wait; zero or less: not at all. */
  get #pauseMs(): number {
    return this.#isCrowded ? this.#writtenAt + PAUSE_MS - this.#options.clock.now() : 0;
  }

  async #write(current: LogFile): Promise<void> {
    this.#writing = true;
    let file = current;
    try {
      while (this.#pending.length > 0) {
        const records = this.#take();
        const group = groupOf(records, this.#room);
        if (file.end > 0 && file.end + group.length > this.#options.fileBytes) file = await this.#next(file);
        if (this.#current === file) await file.file.write(group, file.end);
        // The file was abandoned meanwhile, and its records went to the journal.
        if (this.#current !== file) return;
        file.end += group.length;
        file.last = records.at(-1)!.number;
        this.#countRuns(records.length);
        this.#options.onDurable(file.last);
        if (this.#isCrowded) break;
      }
    } catch (error) {
      if (this.#current === file) this.abandon(diskErrorCode(error));
      return;
    }
    this.#writing = false;
    if (this.#pending.length > 0) this.#plan();
  }

  #countRuns(written: number): void {
    this.#writtenAt = this.#options.clock.now();
    this.#count += written;
    const countedMs = this.#writtenAt - this.#countedFrom;
    if (countedMs < COUNT_MS) return;
    this.#isCrowded = this.#count >= countedMs * CROWD_PER_MS;
    [this.#count, this.#countedFrom] = [0, this.#writtenAt];
  }

  #take(): readonly NumberedRecord[] {
    let count = 0;
    for (let characters = 0; count < this.#pending.length && characters < GROUP_CHARACTERS_MAX; count += 1)
      characters += this.#pending[count]!.text.length;
    return this.#pending.splice(0, count);
  }

  async #next(full: LogFile): Promise<LogFile> {
    const file = this.#spare.shift() ?? (await this.#make());
    if (this.#current === full) {
      this.#left.push(full);
      this.#current = file;
    } else this.#spare.push(file);
    return file;
  }

  /** The journal has all records up to a number on disk. */
  release(last: number): void {
    while (this.#pending.length > 0 && this.#pending[0]!.number <= last) this.#pending.shift();
    if (this.#left.length === 0) return;
    const done = this.#left.filter((file) => file.last <= last);
    this.#left = this.#left.filter((file) => file.last > last);
    for (const file of done) {
      if (file.failed || this.#spare.length >= SPARE) this.#remove(file);
      else this.#spare.push({ ...file, end: 0, last: 0 });
    }
  }

  /** Stops writing to the current file, because something about it has failed. */
  abandon(code: string): void {
    const file = this.#current;
    if (file === null) return;
    this.#current = null;
    this.#writing = false;
    this.#left.push({ ...file, failed: true });
    this.#pending = [];
    this.#options.onFailed(code);
  }

  #remove({ name, file }: LogFile): void {
    file.close();
    // If it cannot be deleted, the next start reads it and finds everything in the journal.
    unlink(join(this.#options.directory, name), () => {});
  }

  /** At the end of the service. `empty`: the journal has everything; otherwise the files stay for the next start. */
  end(empty: boolean): void {
    this.#ended = true;
    const files = [...(this.#current === null ? [] : [this.#current]), ...this.#spare, ...this.#left];
    [this.#current, this.#spare, this.#left] = [null, [], []];
    for (const { name, file } of files) {
      file.close();
      if (!empty) continue;
      try {
        unlinkSync(join(this.#options.directory, name));
      } catch {
        // As above.
      }
    }
  }
}
