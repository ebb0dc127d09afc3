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

/** A larger write would delay its first records. */
const GROUP_CHARACTERS_MAX = 1024 * 1024;
/** The size of the shared buffer. A larger group gets its own buffer. */
const BUFFER_BYTES = 128 * 1024;
/** The number of prepared files in addition to the current one. */
const SPARE = 1;
/**
 * With at least so many ended runs per millisecond, the log pauses after each write, so that more runs share the next
 * one.
 */
const CROWD_PER_MS = 1;
const PAUSE_MS = 1;
/** The interval over which ended runs are counted. */
const COUNT_MS = 10;

export interface OutcomeLogOptions {
  readonly directory: string;
  readonly firstNumber: number;
  /** The size of one file. */
  readonly fileBytes: number;
  readonly makeFile: MakeOutcomeFile;
  readonly clock: Pick<Clock, "now" | "after">;
  /** Every appended record up to this number is on disk. */
  readonly onDurable: (last: number) => void;
  readonly onFailed: (code: string) => void;
}

interface LogFile {
  readonly name: string;
  readonly file: OutcomeFile;
  /** The end of the written bytes, or the size of the file if that is larger. */
  end: number;
  /** The number of its last run. */
  last: number;
  /** A failed file is not written to again. */
  failed: boolean;
}

/**
 * The log that writes records to disk right after their runs have ended. The journal gets them later, in large groups.
 * One write is in progress at a time, and records that arrive meanwhile go into the next. A file is reused when the
 * journal has all its records. After a failed write the file is never written to again, since the amount on disk is
 * unknown.
 */
export class OutcomeLog {
  readonly #options: OutcomeLogOptions;
  #nextNumber: number;
  #current: LogFile | null = null;
  #spare: LogFile[] = [];
  /** Replaced files that may contain records which the journal does not have yet. */
  #replaced: LogFile[] = [];
  #pending: NumberedRecord[] = [];
  /** The buffer of the write in progress. */
  #buffer = Buffer.alloc(0);
  #opening = false;
  #planned = false;
  #writing = false;
  #writtenAt = Number.NEGATIVE_INFINITY;
  /** The number of runs written since `#countedFrom`, and the result of the last count. */
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
    return [...files, ...this.#spare, ...this.#replaced].reduce((sum, { end }) => sum + this.#sizeOf(end), 0);
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
      // A write that has not ended may still use the old buffer.
      this.#buffer = Buffer.allocUnsafeSlow(BUFFER_BYTES);
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
    // After all runs that end in this tick of the event loop.
    else setImmediate(begin);
  }

  /** Delay of the next write; zero or less means no delay. */
  get #pauseMs(): number {
    return this.#isCrowded ? this.#writtenAt + PAUSE_MS - this.#options.clock.now() : 0;
  }

  async #write(current: LogFile): Promise<void> {
    this.#writing = true;
    let file = current;
    try {
      while (this.#pending.length > 0) {
        const records = this.#take();
        const group = groupOf(records, this.#buffer);
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
      this.#replaced.push(full);
      this.#current = file;
    } else this.#spare.push(file);
    return file;
  }

  /** The journal has all records up to `last` on disk. */
  release(last: number): void {
    while (this.#pending.length > 0 && this.#pending[0]!.number <= last) this.#pending.shift();
    if (this.#replaced.length === 0) return;
    const done = this.#replaced.filter((file) => file.last <= last);
    this.#replaced = this.#replaced.filter((file) => file.last > last);
    for (const file of done) {
      if (file.failed || this.#spare.length >= SPARE) this.#remove(file);
      else this.#spare.push({ ...file, end: 0, last: 0 });
    }
  }

  /** Stops writing to the current file after a failure. */
  abandon(code: string): void {
    const file = this.#current;
    if (file === null) return;
    this.#current = null;
    this.#writing = false;
    this.#replaced.push({ ...file, failed: true });
    this.#pending = [];
    this.#options.onFailed(code);
  }

  #remove({ name, file }: LogFile): void {
    file.close();
    // If the deletion fails, the next start reads the file and finds everything in the journal.
    unlink(join(this.#options.directory, name), () => {});
  }

  /**
   * Closes the log at the end of the service. `empty`: the journal has every record. Otherwise the files stay for the
   * next start.
   */
  end(empty: boolean): void {
    this.#ended = true;
    const files = [...(this.#current === null ? [] : [this.#current]), ...this.#spare, ...this.#replaced];
    [this.#current, this.#spare, this.#replaced] = [null, [], []];
    for (const { name, file } of files) {
      file.close();
      if (!empty) continue;
      try {
        unlinkSync(join(this.#options.directory, name));
      } catch {
        // If the deletion fails, the next start finds everything in the journal.
      }
    }
  }
}
