/** The journal's own thread, the only one that writes the database, so that no commit ever delays a request. */
import { rmSync, statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { syncDirectory } from "../../terms/platform/make-directory.ts";
import { dropReserve, createReserve } from "./reserve-file.ts";
import { passDisk } from "./disk-faults.ts";
import { forgetDrained, recordDrained } from "./drained-runs.ts";
import { IntentSyncer } from "./intent-syncer.ts";
import { isDamage } from "./journal-damage.ts";
import { listIntentFiles } from "./intent-files.ts";
import { diskErrorCode, openJournal } from "./journal-database.ts";
import { JOURNAL_FILE } from "./journal-file.ts";
import type { Doing, FromJournal, JournalSetup, Measured, ToJournal } from "./journal-messages.ts";
import { OrganizationByteCounter } from "./count-organization-bytes.ts";
import { JournalPruner } from "./journal-pruner.ts";
import { JournalWriter } from "./journal-writer.ts";
import { listOutcomeFiles } from "./outcome-files.ts";
import { recoverIntents } from "./recover-intents.ts";
import type { RunRecordLine } from "./record-lines.ts";
import { movedTo, recordMoved, replayOutcomes } from "./replay-outcomes.ts";
import type { DrainRecord } from "./running-ledger.ts";

const setup = workerData as JournalSetup;
const port = parentPort!;

/** A larger transaction would delay its first records. */
const GROUP_CHARACTERS_MAX = 4 * 1024 * 1024;
/** Much longer than records wait in the log before they are moved, so that the thread checkpoints only in pauses. */
const TIDY_AFTER_MS = 1_000;
const FORGET_AGAIN_MS = 20;
/** The interval of checks for deletion requests, and the pause between two steps of a deletion. */
const PRUNE_CHECK_MS = 1_000;
const PRUNE_AGAIN_MS = 20;
const PRUNE_DAMAGED_MS = 60_000;
/** The pause between two steps of a count of organizations' bytes. */
const COUNT_AGAIN_MS = 5;
const MEASURE_EVERY_MS = 200;
const SPACE_CHECK_MS = 1_000;

function post(message: FromJournal): void {
  port.postMessage(message);
}

/**
 * Reports the failure and ends the thread. The main thread starts a new one with new descriptors, because after a
 * failed sync the old ones must not be synced again.
 */
function fail(during: Doing, error: unknown): never {
  const code = diskErrorCode(error);
  if (code === "ENOSPC") dropReserve(setup.directory);
  post({ is: "failed", during, code, message: error instanceof Error ? error.message : code });
  process.exit(1);
}

function attempt<Result>(doing: Doing, action: () => Result): Result {
  try {
    return action();
  } catch (error) {
    return fail(doing, error);
  }
}

interface Group {
  readonly records: string[];
  readonly drained: DrainRecord[];
}

class Journal {
  readonly #database: DatabaseSync;
  readonly #writer: JournalWriter;
  readonly #syncer: IntentSyncer;
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  readonly #pages: StatementSync;
  readonly #holders: OrganizationByteCounter;
  readonly #pruner: JournalPruner;
  #lastCommitAt = 0;
  #tidying = false;
  #measuredAt = 0;
  #forgetBefore = 0;
  #cannotForget = false;
  #counting = false;

  constructor(database: DatabaseSync, writer: JournalWriter) {
    this.#database = database;
    this.#writer = writer;
    this.#pruner = new JournalPruner(database);
    this.#begin = database.prepare("BEGIN IMMEDIATE");
    this.#commit = database.prepare("COMMIT");
    this.#pages = database.prepare(
      `SELECT (page_count - freelist_count) * page_size AS bytes
       FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
    );
    this.#holders = new OrganizationByteCounter(database);
    this.#syncer = new IntentSyncer({
      directory: setup.directory,
      everyMs: setup.syncIntentsEveryMs,
      faults: setup.faults,
      onSynced: () => post({ is: "synced" }),
      onFailed: (error) => fail("sync", error),
    });
  }

  /** Commits the whole queue in one transaction. */
  receive(first: ToJournal): void {
    const group: Group = { records: [], drained: [] };
    let characters = 0;
    let last = 0;
    let stop = false;
    for (let message: ToJournal | undefined = first; message !== undefined; message = nextMessage()) {
      if (message.records !== undefined && message.last !== undefined) {
        group.records.push(message.records);
        characters += message.records.length;
        last = message.last;
      }
      if (message.dirty !== undefined) this.#syncer.wrote(message.dirty);
      if (message.drained !== undefined) group.drained.push(message.drained);
      if (message.measure === true) this.measure();
      if (message.holders === true) this.#countHolders();
      stop ||= message.stop === true;
      if (characters > GROUP_CHARACTERS_MAX) break;
    }
    this.#write(group, last);
    if (stop) this.#stop();
  }

  #write(group: Group, last: number): void {
    const { records, drained } = group;
    if (records.length === 0 && drained.length === 0) return;
    attempt("commit", () => this.#commitGroup(group, last));
    if (records.length > 0) post({ is: "durable", last });
    if (!this.#cannotForget) this.#forgetBefore = drained.at(-1)?.forgetBefore ?? this.#forgetBefore;
    this.#afterCommit();
  }

  #commitGroup({ records, drained }: Group, last: number): void {
    passDisk(setup.faults, "commit");
    this.#begin.run();
    this.#writer.begin();
    for (const joined of records) {
      for (const record of JSON.parse(`[${joined}]`) as RunRecordLine[]) this.#writer.add(record);
    }
    if (records.length > 0) recordMoved(this.#database, last);
    for (const note of drained) recordDrained(this.#database, note);
    this.#commit.run();
  }

  #afterCommit(): void {
    this.#lastCommitAt = performance.now();
    if (this.#lastCommitAt - this.#measuredAt > MEASURE_EVERY_MS) this.measure();
    this.#tidyLater(TIDY_AFTER_MS);
  }

  #tidyLater(delayMs: number): void {
    if (this.#tidying) return;
    this.#tidying = true;
    setTimeout(() => this.#tidy(), delayMs);
  }

  /** Deletes in small steps, checkpoints in a pause, and stops when no more records arrive. */
  #tidy(): void {
    this.#tidying = false;
    const idle = performance.now() - this.#lastCommitAt >= TIDY_AFTER_MS / 2;
    attempt("commit", () => {
      const forget = (): boolean => forgetDrained(this.#database, this.#forgetBefore);
      const more = this.#forgetBefore > 0 && this.#unlessDamaged("forget", forget);
      if (more === null) this.#cannotForget = true;
      if (more !== true) this.#forgetBefore = 0;
      if (idle || this.#walBytes() >= setup.walBytesMax) this.#database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    });
    if (this.#forgetBefore > 0) this.#tidyLater(FORGET_AGAIN_MS);
    else if (!idle) this.#tidyLater(TIDY_AFTER_MS);
    this.measure();
  }

  /** Returns null if damaged pages prevent a deletion: new runs are still accepted. */
  #unlessDamaged(during: "prune" | "forget", remove: () => boolean): boolean | null {
    try {
      return remove();
    } catch (error) {
      if (!isDamage(error)) throw error;
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      post({ is: "damaged", during, message: (error as Error).message });
      return null;
    }
  }

  /**
   * Does one step per tick of the event loop, so that records which arrive in between are committed before the next
   * step.
   */
  prune(): void {
    const more = attempt("commit", () => this.#unlessDamaged("prune", () => this.#pruner.step()));
    if (more === true) this.#afterCommit();
    setTimeout(() => this.prune(), more === null ? PRUNE_DAMAGED_MS : more ? PRUNE_AGAIN_MS : PRUNE_CHECK_MS);
  }

  measure(): void {
    this.#measuredAt = performance.now();
    post({ is: "measured", size: this.size() });
  }

  size(): Measured {
    const { bytes } = this.#pages.get() as { bytes: number };
    const { bsize, bavail, blocks } = statfsSync(setup.directory);
    return { bytes: bytes + this.#walBytes(), diskFreeBytes: bavail * bsize, diskBytes: blocks * bsize };
  }

  /** A request during a count gets the result of that count. */
  #countHolders(): void {
    if (this.#counting) return;
    this.#counting = true;
    attempt("commit", () => this.#holders.begin());
    this.#countOn();
  }

  #countOn(): void {
    if (attempt("commit", () => this.#holders.step())) {
      setTimeout(() => this.#countOn(), COUNT_AGAIN_MS);
      return;
    }
    this.#counting = false;
    post({ is: "holders", bytes: this.#holders.bytes });
  }

  #walBytes(): number {
    return statSync(join(setup.directory, `${JOURNAL_FILE}-wal`), { throwIfNoEntry: false })?.size ?? 0;
  }

  #stop(): never {
    attempt("commit", () => this.#database.close());
    process.exit(0);
  }
}

function nextMessage(): ToJournal | undefined {
  return receiveMessageOnPort(port)?.message as ToJournal | undefined;
}

/** Creates the reserve file, and reports whether it exists. Retries while it cannot be created. */
async function maintainReserve(): Promise<void> {
  try {
    passDisk(setup.faults, "reserve");
    await createReserve(setup.directory, setup.reserveBytes);
    post({ is: "space", enough: true });
  } catch {
    post({ is: "space", enough: false });
    setTimeout(() => void maintainReserve(), SPACE_CHECK_MS);
  }
}

const database = attempt("open", () => {
  passDisk(setup.faults, "open");
  return openJournal(setup.directory, setup.walBytesMax, setup.afterFailure);
});
const writer = attempt("open", () => new JournalWriter(database));
const recovered = attempt("recovery", () => {
  const { directory, recoverBefore } = setup;
  // Outcomes first: they settle the runs of the intents that are read next.
  const { lost, next } =
    recoverBefore > 0 ? replayOutcomes(database, writer, directory) : { lost: 0, next: movedTo(database) + 1 };
  // Listed at each start of the thread, because an earlier one may have failed after the removal of some files.
  const isEarlier = ({ number }: { readonly number: number }): boolean => number < recoverBefore;
  const intentFiles = listIntentFiles(directory).filter(isEarlier);
  const outcomeFiles = listOutcomeFiles(directory).filter(isEarlier);
  const found = recoverIntents(database, writer, directory, intentFiles);
  if (intentFiles.length + outcomeFiles.length > 0) {
    for (const { name } of [...intentFiles, ...outcomeFiles]) rmSync(join(directory, name), { force: true });
    passDisk(setup.faults, "recovery");
    // Makes the removal survive a power cut.
    syncDirectory(directory);
  }
  return { next, found: { ...found, lost } };
});
const journal = attempt("open", () => new Journal(database, writer));
port.on("message", (message: ToJournal) => journal.receive(message));
post({ is: "ready", recovered: recovered.found, next: recovered.next, size: journal.size() });
journal.prune();
void maintainReserve();
