import { closeSync, ftruncateSync, openSync, unlink, unlinkSync, writeSync } from "node:fs";
import { join } from "node:path";
import { intentFileName } from "./intent-files.ts";
import { diskErrorCode } from "./journal-database.ts";
import type { AttemptIntent, PendingIntents, RunIntent, RunRecord, RunReport } from "../../run/ports.ts";
import { Fault } from "../../terms/fault.ts";
import { attemptIntentText, orderText, runIntentText } from "./record-lines.ts";

/** One intent file. It is deleted once it is replaced and all runs that wrote to it have outcomes on disk. */
interface Segment {
  readonly name: string;
  readonly descriptor: number;
  bytes: number;
  openRuns: number;
}

/** A file of this size is replaced as soon as no run is open, so that the next start reads little. */
const LEAVE_QUIETLY_BYTES = 1024 * 1024;

/** The size of the intents of a few dozen runs. */
const PROOF_BYTES = 64 * 1024;

export interface IntentLogOptions {
  readonly directory: string;
  readonly firstNumber: number;
  readonly segmentBytesMax: number;
  readonly onFailed: (code: string) => void;
  /** The log has data to sync. Called once until `takeUnsynced`. */
  readonly onDirty: () => void;
  /** For tests. If it throws, the write throws; if it returns a number, only that many bytes are written. */
  readonly beforeWrite?: (bytes: number) => number | undefined;
}

/**
 * The intent files. Runs that send in the same tick of the event loop share one `write`. Once it returns, their intents
 * survive kill -9.
 */
export class IntentLog {
  readonly #options: IntentLogOptions;
  #current: Segment | null = null;
  #nextNumber: number;
  #bytes = 0;
  #waiting: LinesOfRun[] = [];
  readonly #unsynced = new Set<string>();
  #syncing = false;

  constructor(options: IntentLogOptions) {
    this.#options = options;
    this.#nextNumber = options.firstNumber;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Starts a new file. Returns false, and calls `onFailed`, if that is not possible now. An empty file can be created
   * even on a full disk. So after a failure (`proven`) some bytes are written to it and removed again, which proves
   * that there is space.
   */
  open(proven = false): boolean {
    const name = intentFileName(this.#nextNumber);
    try {
      const descriptor = openSync(join(this.#options.directory, name), "ax", 0o600);
      if (proven) this.#proveSpace(name, descriptor);
      this.#current = { name, descriptor, bytes: 0, openRuns: 0 };
      this.#nextNumber += 1;
      return true;
    } catch (error) {
      const code = diskErrorCode(error);
      // The name exists only if another process has created the file in between.
      if (code === "EEXIST") this.#nextNumber += 1;
      this.#options.onFailed(code);
      return false;
    }
  }

  /** @throws when the disk is full; no bytes are left behind then */
  #proveSpace(name: string, descriptor: number): void {
    try {
      if (this.#write(descriptor, "\0".repeat(PROOF_BYTES), PROOF_BYTES) !== PROOF_BYTES) {
        throw Object.assign(new Error("short write"), { code: "ENOSPC" });
      }
      ftruncateSync(descriptor, 0);
    } catch (error) {
      closeQuietly(descriptor);
      unlinkSync(join(this.#options.directory, name));
      throw error;
    }
  }

  /** Adds whole lines of a run to the next write. */
  add(lines: LinesOfRun): void {
    this.#waiting.push(lines);
  }

  /**
   * Appends all waiting lines in one write. Each run is notified of the file with its lines, or of `null` if not all of
   * them were written.
   */
  write(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const segment = this.#append(waiting.map(({ text }) => text).join(""));
    for (const lines of waiting) lines.written(segment);
    // Only after the file's runs are counted, because a replaced file without open runs is deleted at once.
    if (segment !== null && segment.bytes >= this.#options.segmentBytesMax) this.#rotate();
  }

  #append(text: string): Segment | null {
    const segment = this.#current;
    if (segment === null) return null;
    const bytes = Buffer.byteLength(text);
    try {
      const written = this.#write(segment.descriptor, text, bytes);
      this.#count(segment, written);
      // The rest of an incomplete write is never read as a line, so the file must get no further lines.
      if (written !== bytes) throw Object.assign(new Error("short write"), { code: "ENOSPC" });
    } catch (error) {
      this.abandon(diskErrorCode(error));
      return null;
    }
    this.#markDirty(segment.name);
    return segment;
  }

  #write(descriptor: number, text: string, bytes: number): number {
    const allowed = this.#options.beforeWrite?.(bytes);
    return allowed === undefined ? writeSync(descriptor, text) : writeSync(descriptor, Buffer.from(text), 0, allowed);
  }

  #count(segment: Segment, bytes: number): void {
    segment.bytes += bytes;
    this.#bytes += bytes;
  }

  /** One run of this file now has its outcome on disk. */
  release(segment: Segment): void {
    segment.openRuns -= 1;
    if (segment.openRuns > 0) return;
    if (segment !== this.#current) this.#remove(segment);
    else if (segment.bytes >= LEAVE_QUIETLY_BYTES) this.#rotate();
  }

  /** Stops writing to the current file after a failure. */
  abandon(code: string): void {
    this.#leave();
    this.#options.onFailed(code);
  }

  #rotate(): void {
    this.#leave();
    this.open();
  }

  #leave(): void {
    const segment = this.#current;
    if (segment === null) return;
    this.#current = null;
    closeQuietly(segment.descriptor);
    if (segment.openRuns === 0) this.#remove(segment);
  }

  #remove(segment: Segment): void {
    this.#bytes -= segment.bytes;
    this.#unsynced.delete(segment.name);
    // If the deletion fails, the next start reads the file and finds all its runs settled.
    unlink(join(this.#options.directory, segment.name), () => {});
  }

  /** Closes the log at the end of the service. A file with runs without an outcome stays for the next start. */
  end(): void {
    const segment = this.#current;
    if (segment === null) return;
    this.#current = null;
    closeQuietly(segment.descriptor);
    if (segment.openRuns > 0) return;
    try {
      unlinkSync(join(this.#options.directory, segment.name));
    } catch {
      // As above: the next start finds all its runs settled.
    }
  }

  // ---- syncing: requested here, done by the journal's thread ------------------------------------------------------

  #markDirty(name: string): void {
    this.#unsynced.add(name);
    if (!this.#syncing) this.#options.onDirty();
  }

  /** The files to sync now, or none while a sync is in progress. */
  takeUnsynced(): readonly string[] | null {
    if (this.#syncing || this.#unsynced.size === 0) return null;
    this.#syncing = true;
    const names = [...this.#unsynced];
    this.#unsynced.clear();
    return names;
  }

  synced(): void {
    this.#syncing = false;
    if (this.#unsynced.size > 0) this.#options.onDirty();
  }

  /** The syncing thread has ended. */
  onSyncThreadEnded(): void {
    this.#syncing = false;
    if (this.#current !== null) this.#unsynced.add(this.#current.name);
  }
}

function closeQuietly(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // A descriptor is closed even if `close` fails, and nothing relies on data that it may have failed to write.
  }
}

/** A run from its start to its outcome, with the intent files that must stay until the outcome is on disk. */
export class OpenRecord implements RunRecord {
  readonly #run: RunIntent;
  readonly #intents: IntentLog;
  readonly #settle: (record: OpenRecord, report: RunReport) => Promise<void>;
  readonly #segments: Segment[] = [];
  #closed = false;

  constructor(run: RunIntent, intents: IntentLog, settle: (record: OpenRecord, report: RunReport) => Promise<void>) {
    this.#run = run;
    this.#intents = intents;
    this.#settle = settle;
  }

  intend(...intents: readonly AttemptIntent[]): PendingIntents {
    // After the outcome is written, a call could not be recorded.
    if (this.#closed) throw new Fault("source.stopped");
    let text = this.#segments.length === 0 ? runIntentText(this.#run) : "";
    for (const intent of intents) text += attemptIntentText(this.#run.transactionId, intent);
    return this.#add(text);
  }

  recordOrder(ordinal: number, orderId: string): void {
    if (!this.#closed) this.#add(orderText(this.#run.transactionId, ordinal, orderId)).tryRecord();
  }

  #add(text: string): LinesOfRun {
    const lines = new LinesOfRun(text, this.#intents, (to) => this.#isIn(to));
    this.#intents.add(lines);
    return lines;
  }

  #isIn(segment: Segment): void {
    if (segment === this.#segments.at(-1)) return;
    segment.openRuns += 1;
    this.#segments.push(segment);
  }

  async close(report: RunReport): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#settle(this, report);
  }

  /** Called when the outcome is on disk. */
  release(): void {
    for (const segment of this.#segments) this.#intents.release(segment);
    this.#segments.length = 0;
  }
}

/** Lines of a run, until they are in a file. */
class LinesOfRun implements PendingIntents {
  readonly text: string;
  readonly #log: IntentLog;
  readonly #onWritten: (to: Segment) => void;
  #state: "waiting" | "recorded" | "lost" = "waiting";

  constructor(text: string, log: IntentLog, onWritten: (to: Segment) => void) {
    this.text = text;
    this.#log = log;
    this.#onWritten = onWritten;
  }

  written(to: Segment | null): void {
    this.#state = to === null ? "lost" : "recorded";
    if (to !== null) this.#onWritten(to);
  }

  record(): void {
    if (!this.tryRecord()) throw new Fault("request.journal_unavailable");
  }

  tryRecord(): boolean {
    if (this.#state === "waiting") this.#log.write();
    return this.#state === "recorded";
  }
}
