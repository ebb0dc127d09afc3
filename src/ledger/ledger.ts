import type { RunIntent, RunRecord, RunReport } from "../run/ports.ts";
import type { Clock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { makeDirectory } from "../terms/platform/make-directory.ts";
import { Availability } from "./availability.ts";
import { EndedRuns } from "./ended-runs.ts";
import { lockDirectory } from "./journal/directory-lock.ts";
import { listIntentFiles } from "./journal/intent-files.ts";
import { IntentLog, OpenRecord } from "./journal/intent-log.ts";
import { JournalLink } from "./journal/journal-link.ts";
import { JournalShares } from "./journal/journal-shares.ts";
import { JournalSize } from "./journal/journal-size.ts";
import type { FromJournal, Measured } from "./journal/journal-messages.ts";
import { listOutcomeFiles, makeOutcomeFile, type MakeOutcomeFile } from "./journal/outcome-files.ts";
import type { DrainRecord, LedgerState, RunningLedger } from "./journal/running-ledger.ts";
import { LEDGER_LIMITS, type LedgerLimits, withinJournal } from "./limits.ts";
import type { LedgerLog } from "./ports.ts";
import { recordText } from "./journal/record-lines.ts";
import { toStored } from "./stored-text.ts";

export interface LedgerOptions {
  /** A directory used only by the ledger; created if it does not exist. */
  readonly dir: string;
  readonly clock: Clock;
  readonly log: LedgerLog;
  readonly limits?: Partial<LedgerLimits>;
  /** Called when the ledger becomes unavailable or available, and when its alarm begins or ends. */
  readonly onChange?: (state: LedgerState) => void;
  /** For tests. */
  readonly faults?: LedgerFaults;
}

export interface LedgerFaults {
  /** See `disk-faults.ts`. */
  readonly disk?: Int32Array;
  /** See `IntentLogOptions`. */
  readonly beforeIntentWrite?: (bytes: number) => number | undefined;
  /** Used instead of files on disk. */
  readonly makeOutcomeFile?: MakeOutcomeFile;
}

/**
 * Stores runs and vendor calls in the journal of a directory.
 * @throws when another service uses the directory, or it cannot be used. A full or failing disk is not a reason: the
 * ledger then refuses runs, and recovers by itself.
 */
export function createLedger(options: LedgerOptions): RunningLedger {
  makeDirectory(options.dir);
  const unlock = lockDirectory(options.dir);
  try {
    return new FileLedger(options, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

const RETRY_MS = 250;
const WAL_BYTES_MAX = 32 * 1024 * 1024;

class FileLedger implements RunningLedger {
  readonly ready: Promise<void>;
  readonly #options: LedgerOptions;
  readonly #limits: LedgerLimits;
  readonly #unlock: () => void;
  readonly #availability: Availability;
  readonly #intents: IntentLog;
  readonly #link: JournalLink;
  readonly #size: JournalSize;
  readonly #shares: JournalShares;
  readonly #ended: EndedRuns;
  #recoverBefore: number;
  #cancelRetry: (() => void) | null = null;
  readonly #logOpened: Promise<boolean>;
  #openRuns = 0;
  #damageMet = 0;
  #onReady: () => void = () => {};
  #onWritten: () => void = () => {};
  #closing: Promise<void> | null = null;

  constructor(options: LedgerOptions, unlock: () => void) {
    this.#options = options;
    this.#limits = { ...LEDGER_LIMITS, ...options.limits };
    this.#unlock = unlock;
    this.#availability = new Availability(options.log, () => this.#changed());
    this.ready = new Promise((resolve) => (this.#onReady = resolve));
    const { journalBytesMax } = this.#limits;
    const changed = (): void => this.#changed();
    this.#size = new JournalSize(journalBytesMax, this.#availability, options.log, options.clock, changed);
    this.#shares = new JournalShares({
      clock: options.clock,
      log: options.log,
      pending: () => this.#ended.pending.bytesByOrganization(),
      requestCount: () => this.#link.post({ holders: true }),
    });
    const lastFiles = [listIntentFiles(options.dir).at(-1), listOutcomeFiles(options.dir).at(-1)];
    this.#recoverBefore = Math.max(...lastFiles.map((file) => file?.number ?? 0)) + 1;
    this.#intents = new IntentLog({
      directory: options.dir,
      firstNumber: this.#recoverBefore,
      segmentBytesMax: withinJournal(this.#limits.segmentBytesMax, this.#limits),
      onFailed: (code) => this.#intentsFailed(code),
      onDirty: () => this.#syncIntents(),
      ...(options.faults?.beforeIntentWrite && { beforeWrite: options.faults.beforeIntentWrite }),
    });
    this.#link = new JournalLink({
      clock: options.clock,
      setup: () => ({
        directory: options.dir,
        recoverBefore: this.#recoverBefore,
        afterFailure: this.#link.restarts > 0,
        reserveBytes: this.#limits.reserveBytes,
        walBytesMax: journalBytesMax === 0 ? WAL_BYTES_MAX : Math.min(WAL_BYTES_MAX, Math.ceil(journalBytesMax / 32)),
        syncIntentsEveryMs: this.#limits.syncIntentsEveryMs,
        faults: options.faults?.disk ?? null,
      }),
      onMessage: (message) => this.#receive(message),
      onDown: (failure, again) => this.#journalDown(failure, again),
    });
    this.#ended = new EndedRuns({
      directory: options.dir,
      firstFile: this.#recoverBefore,
      makeFile: options.faults?.makeOutcomeFile ?? makeOutcomeFile,
      clock: options.clock,
      limits: this.#limits,
      availability: this.#availability,
      link: this.#link,
      onLogFailed: () => this.#retryLater(),
    });
    this.#intents.open();
    this.#logOpened = this.#ended.openLog();
    this.#link.start();
    const cancel = options.clock.after(this.#limits.stallMs, this.#onReady);
    void this.ready.then(cancel);
  }

  // ---- runs --------------------------------------------------------------------------------------------------------

  open(run: RunIntent): RunRecord {
    const organizationId = toStored(run.organizationId);
    const reason = this.#availability.reason ?? this.#overfull(organizationId) ?? this.#beyondShare(organizationId);
    if (reason !== null) throw new Fault("request.journal_unavailable", { reason });
    this.#openRuns += 1;
    return new OpenRecord(run, this.#intents, (record, report) => this.#closeRun(record, report));
  }

  #overfull(organizationId: string): string | null {
    return this.#ended.pending.hasCapacityFor(organizationId) ? null : "too many records wait for the journal";
  }

  #beyondShare(organizationId: string): string | null {
    return this.#shares.isBeyondShare(organizationId)
      ? "the journal is nearly full, and its organization holds much of it"
      : null;
  }

  #closeRun(record: OpenRecord, report: RunReport): Promise<void> {
    this.#openRuns -= 1;
    const organizationId = toStored(report.organizationId);
    const text = recordText(report);
    const onDisk = this.#ended.add(organizationId, text, () => record.release());
    this.#shares.add(organizationId, Buffer.byteLength(text));
    return onDisk;
  }

  // ---- to the journal's thread -------------------------------------------------------------------------------------

  #syncIntents(): void {
    if (!this.#link.ready) return;
    const dirty = this.#intents.takeUnsynced();
    if (dirty !== null) this.#link.post({ dirty });
  }

  flush(): Promise<void> {
    return this.#ended.flush();
  }

  recordDrained(note: DrainRecord): void {
    if (this.#link.ready) this.#link.post({ drained: note });
  }

  onWritten(listener: () => void): void {
    this.#onWritten = listener;
  }

  // ---- from the journal's thread -----------------------------------------------------------------------------------

  #receive(message: FromJournal): void {
    if (message.is === "durable") this.#durable(message.last);
    else if (message.is === "synced") this.#intents.synced();
    else if (message.is === "measured") this.#measured(message.size);
    else if (message.is === "holders") this.#shares.counted(message.bytes);
    else if (message.is === "space") this.#onSpaceChecked(message.enough);
    else if (message.is === "ready") this.#started(message);
    else if (message.is === "damaged") this.#damaged(message);
  }

  #durable(last: number): void {
    this.#ended.moved(last);
    this.#availability.clear("stalled");
    this.#availability.clear("journal");
    this.#onWritten();
  }

  #started({ recovered, next, size }: Extract<FromJournal, { readonly is: "ready" }>): void {
    this.#recoverBefore = 0;
    if (recovered.attempts > 0 || recovered.unreadable > 0 || recovered.lost > 0) {
      this.#options.log.warn(
        { event: "ledger_recovered_intents", ...recovered },
        "calls were under way when the service died",
      );
    }
    this.#ended.started(next);
    this.#intents.onSyncThreadEnded();
    void this.#logOpened.then(() => this.#availability.clear("starting"));
    if (this.#ended.pending.count === 0) this.#availability.clear("journal");
    this.#shares.threadStarted();
    this.#measured(size);
    this.#syncIntents();
  }

  #damaged({ during, message }: Extract<FromJournal, { readonly is: "damaged" }>): void {
    this.#damageMet += 1;
    this.#options.log.error(
      { event: "ledger_journal_damaged", during, error: message },
      'the journal is damaged where old runs were to be deleted: they stay; "datarun ledger verify" says what is lost',
    );
  }

  #onSpaceChecked(enough: boolean): void {
    if (enough) this.#availability.clear("no_room");
    else this.#availability.raise("no_room", "ENOSPC");
  }

  #journalDown(failure: Extract<FromJournal, { readonly is: "failed" }> | null, again: boolean): void {
    const { during, code, message } = failure ?? {
      during: "commit",
      code: "EXIT",
      message: "the journal's thread ended",
    };
    this.#options.log.error(
      { event: "ledger_journal_down", during, code, error: message },
      "the journal's thread ended",
    );
    if (code === "CORRUPT") this.#damageMet += 1;
    if (failure === null && !again && !this.#availability.has("starting")) return;
    this.#availability.raise("journal", code);
    this.#availability.clear("starting");
    if (code === "ENOSPC") this.#availability.raise("no_room", code);
    // The kernel may have dropped data that it failed to sync, so that file gets no further intents.
    if (during === "sync") this.#intents.abandon(code);
    this.#ended.journalFailed();
  }

  // ---- recovery, size, stalls --------------------------------------------------------------------------------------

  #intentsFailed(code: string): void {
    this.#availability.raise("intent_file", code);
    this.#retryLater();
  }

  /** Tries again what may be possible by now. Has a timer only while there is a cause. */
  #retryLater(): void {
    if (this.#closing !== null || this.#cancelRetry !== null) return;
    this.#cancelRetry = this.#options.clock.after(RETRY_MS, () => {
      this.#cancelRetry = null;
      if (this.#availability.has("intent_file") && this.#intents.open(true)) this.#availability.clear("intent_file");
      if (this.#availability.has("outcome_log")) void this.#openLog();
      if (this.#availability.has("full")) this.#link.post({ measure: true });
    });
  }

  async #openLog(): Promise<void> {
    if (await this.#ended.openLog()) this.#availability.clear("outcome_log");
  }

  #measured(size: Measured): void {
    this.#size.measured({ ...size, bytes: size.bytes + this.#intents.bytes + this.#ended.logBytes });
    if (this.#availability.has("full")) this.#retryLater();
    this.#shares.measured(this.#size.bytes, this.#size.bytesMax);
  }

  // ---- state, and the end ------------------------------------------------------------------------------------------

  #changed(): void {
    if (!this.#availability.has("starting")) this.#onReady();
    this.#options.onChange?.(this.state());
  }

  state(): LedgerState {
    const { oldestAt, count, bytes } = this.#ended.pending;
    return {
      unavailable: this.#availability.reason,
      openRuns: this.#openRuns,
      pendingRecords: count,
      pendingBytes: bytes,
      lagMs: oldestAt === null ? 0 : Math.max(0, this.#options.clock.now() - oldestAt),
      journalBytes: this.#size.bytes,
      journalBytesMax: this.#size.bytesMax,
      journalDaysLeft: this.#size.daysLeft,
      alarm: this.#size.alarm,
      restarts: this.#link.restarts,
      damageMet: this.#damageMet,
    };
  }

  close(): Promise<void> {
    this.#closing ??= this.#drainAndStop();
    return this.#closing;
  }

  async #drainAndStop(): Promise<void> {
    this.#availability.raise("closed");
    await this.flush();
    const lost = this.#ended.pending.count;
    if (lost > 0 || this.#openRuns > 0) {
      this.#options.log.error(
        { event: "ledger_closed_early", unwritten: lost, open: this.#openRuns },
        "the next start looks for them in the logs: a run without an outcome there will stand as unknown",
      );
    }
    this.#ended.end();
    this.#cancelRetry?.();
    await this.#link.stop(this.#limits.closeMs);
    this.#intents.end();
    this.#unlock();
    this.#onReady();
  }
}
