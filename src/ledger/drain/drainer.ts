import type { Clock } from "../../terms/time/clock.ts";
import type { DrainRecord, RunningLedger } from "../journal/running-ledger.ts";
import { batchOf } from "./batch-builder.ts";
import { Outbox, type DamagedRun, type OutboxBatch } from "./outbox.ts";
import type { LedgerLog, LedgerSink } from "../ports.ts";
import { LedgerBehind, LedgerRefused } from "../../terms/sink-errors.ts";
import { DAY_MS } from "../../terms/time/durations.ts";
import { answeredWithin } from "../../terms/time/within.ts";

export interface DrainerOptions {
  readonly dir: string;
  /** Must be ready, so that its journal exists. */
  readonly ledger: Pick<RunningLedger, "recordDrained" | "onWritten">;
  readonly sink: LedgerSink;
  readonly clock: Clock;
  readonly log: LedgerLog;
  readonly limits?: Partial<DrainerLimits>;
}

export interface DrainerLimits {
  /** Runs in a batch, which bounds memory. Halved while the sink refuses, so that one run cannot block the others. */
  readonly batchRuns: number;
  /** The longest time that the first run of a batch waits for others. */
  readonly gatherMs: number;
  readonly writeTimeoutMs: number;
  readonly retryFirstMs: number;
  readonly retryMaxMs: number;
  /** Interval of checks for runs that may be deleted from the journal, and for unannounced runs. */
  readonly checkMs: number;
  /** The time that a sent run stays in the journal, from its start. */
  readonly keepMs: number;
}

const DRAINER_LIMITS: DrainerLimits = {
  batchRuns: 512,
  gatherMs: 400,
  writeTimeoutMs: 30_000,
  retryFirstMs: 200,
  retryMaxMs: 30_000,
  checkMs: 30_000,
  keepMs: DAY_MS,
};

export interface DrainerState {
  readonly pendingRuns: number;
  /** Time since the oldest waiting run started. */
  readonly lagMs: number;
  /** Consecutive failures of the sink. */
  readonly failures: number;
  /** Runs that this process has sent. */
  readonly sent: number;
  /** Runs that were not sent because their rows are damaged. */
  readonly damaged: number;
}

const NO_RUNS = batchOf([]);
const NO_PENDING_RUNS = { runs: 0, oldestWallAt: null };

/**
 * Sends the journal's runs to a shared database, in order, in batches. A batch is recorded as sent only after the sink
 * has confirmed it. After a failure in between it is sent again, and the sink's unique keys prevent duplicates.
 */
export class Drainer {
  readonly #options: DrainerOptions;
  readonly #limits: DrainerLimits;
  readonly #outbox: Outbox;
  #batchRuns: number;
  #failures = 0;
  #sent = 0;
  #damaged = 0;
  #working: Promise<void> | null = null;
  #more = false;
  #cancelWait: (() => void) | null = null;
  #cancelCheck: (() => void) | null = null;
  #closed = false;
  /** Whether to query how much of this journal the database has, even if no run is waiting. */
  #compare = true;
  /** The number that the database has, if it is less than was sent. */
  #databaseHas: number | null = null;

  constructor(options: DrainerOptions) {
    this.#options = options;
    this.#limits = { ...DRAINER_LIMITS, ...options.limits };
    this.#batchRuns = this.#limits.batchRuns;
    this.#outbox = new Outbox(options.dir);
    // Makes this journal an outbox: from now on, unsent runs are not pruned.
    this.#recordDrained(this.#outbox.drained);
    options.ledger.onWritten(() => this.#wake(this.#limits.gatherMs));
    this.#wake(0);
    this.#scheduleCheck();
  }

  #scheduleCheck(): void {
    this.#cancelCheck = this.#options.clock.after(this.#limits.checkMs, () => {
      this.#compare = true;
      this.#wake(0);
      if (this.#outbox.hasOldRuns(this.#forgetBefore())) this.#recordDrained(this.#outbox.drained);
      this.#scheduleCheck();
    });
  }

  #wake(delayMs: number): void {
    this.#more = true;
    if (this.#closed || this.#working !== null || this.#cancelWait !== null) return;
    this.#cancelWait = this.#options.clock.after(delayMs, () => {
      this.#cancelWait = null;
      this.#working = this.#work().finally(() => {
        this.#working = null;
        if (this.#more) this.#wake(this.#failures > 0 ? this.#retryMs() : this.#limits.gatherMs);
      });
    });
  }

  #retryMs(): number {
    return Math.min(this.#limits.retryMaxMs, this.#limits.retryFirstMs * 2 ** Math.min(this.#failures - 1, 20));
  }

  /**
   * Sends batches until one fails or is not full. First waits for more runs, because every batch costs nearly a
   * millisecond, whatever its size. Never rejects.
   */
  async #work(): Promise<void> {
    while (!this.#closed) {
      this.#more = false;
      const batchRuns = this.#batchRuns;
      let batch: OutboxBatch | null = null;
      try {
        batch = await this.#outbox.next(batchRuns);
        if (batch === null && !this.#compare) return;
        await this.#write(batch?.runs ?? NO_RUNS, batch?.upTo ?? this.#outbox.drained);
        this.#compare = false;
        if (batch === null) return;
        if (batch.damaged !== null) {
          this.#skipDamaged(batch, batch.damaged);
          continue;
        }
      } catch (error) {
        if (error instanceof LedgerBehind) {
          this.#rewind(error);
          continue;
        }
        if (error instanceof LedgerRefused && batch !== null && (await this.#setAside(batch, error))) continue;
        this.#failed(batch, error);
        return;
      }
      this.#onSent(batch);
      if (batch.runs.transactionIds.length < batchRuns) {
        this.#more = true;
        return;
      }
    }
  }

  /**
   * Finds the refused run by halving the batch, and skips it: the run stays in the journal and is logged. False if it
   * could not be skipped now.
   */
  async #setAside(batch: OutboxBatch, refusal: LedgerRefused): Promise<boolean> {
    const { transactionIds } = batch.runs;
    if (transactionIds.length > 1) {
      this.#batchRuns = Math.max(1, Math.floor(transactionIds.length / 2));
      return true;
    }
    try {
      await this.#write(NO_RUNS, batch.upTo);
    } catch {
      return false;
    }
    this.#options.log.error(
      { event: "ledger_run_set_aside", transaction_id: transactionIds[0], reason: refusal.message },
      "the shared database refuses a run: it stays in this machine's journal, and the others go on",
    );
    this.#outbox.markSent(batch);
    this.#recordDrained(batch.upTo, { setAside: refusal.message });
    return true;
  }

  /** Skips a damaged run. If it were sent, the shared ledger would treat its rows as correct. */
  #skipDamaged(batch: OutboxBatch, { transactionId, number }: DamagedRun): void {
    this.#damaged += 1;
    this.#options.log.error(
      { event: "ledger_run_damaged", transaction_id: transactionId, run: number },
      'a run in the journal is damaged: it stays there and the others go on; "datarun ledger verify" looks at all of them',
    );
    this.#outbox.markSent(batch);
    this.#recordDrained(batch.upTo, { setAside: "damaged" });
  }

  /** Sends runs again that the database has lost, as far as the journal still has them. */
  #rewind({ has }: LedgerBehind): void {
    const { drained } = this.#outbox;
    this.#outbox.rewindTo(has);
    this.#databaseHas = has;
    this.#compare = true;
    this.#options.log.error(
      { event: "ledger_database_lost_runs", runs: drained - this.#outbox.drained },
      "the shared database is another one or an older copy: what it has lost of this machine's runs goes out again",
    );
    this.#recordDrained(this.#outbox.drained, { wentBack: true });
  }

  async #write(runs: OutboxBatch["runs"], upTo: number): Promise<void> {
    const { journal, drained } = this.#outbox;
    const mark = { journal, after: this.#databaseHas ?? drained, upTo };
    const { clock, sink } = this.#options;
    const { writeTimeoutMs } = this.#limits;
    await answeredWithin(
      clock,
      writeTimeoutMs,
      sink.write(runs, mark),
      () => new Error(`no answer in ${writeTimeoutMs} ms`),
    );
    this.#databaseHas = null;
  }

  #onSent(batch: OutboxBatch): void {
    if (this.#failures > 0) this.#options.log.info({ event: "ledger_drain_recovered" }, "the journal drains again");
    this.#failures = 0;
    this.#sent += batch.runs.transactionIds.length;
    this.#batchRuns = Math.min(this.#limits.batchRuns, this.#batchRuns * 2);
    this.#outbox.markSent(batch);
    this.#recordDrained(batch.upTo);
  }

  #recordDrained(run: number, more: Pick<DrainRecord, "wentBack" | "setAside"> = {}): void {
    const record = { run, wallAt: this.#options.clock.wall(), forgetBefore: this.#forgetBefore() };
    this.#options.ledger.recordDrained({ ...record, ...more });
  }

  #forgetBefore(): number {
    return this.#options.clock.wall() - this.#limits.keepMs;
  }

  #failed(batch: OutboxBatch | null, error: unknown): void {
    this.#failures += 1;
    this.#more = true;
    const runs = batch?.runs.transactionIds;
    const alone = runs?.length === 1 ? runs[0] : undefined;
    this.#batchRuns = Math.max(1, Math.floor(this.#batchRuns / 2));
    this.#options.log.warn(
      { event: "ledger_drain_failed", failures: this.#failures, runs: runs?.length, alone, error: String(error) },
      "the journal could not be drained; it will be tried again",
    );
  }

  /**
   * Whether the database has reported how much of this journal it has. Until then runs may be missing there although
   * none is waiting here.
   */
  get hasCompared(): boolean {
    return !this.#compare;
  }

  state(): DrainerState {
    const { runs, oldestWallAt } = this.#closed ? NO_PENDING_RUNS : this.#outbox.waiting();
    return {
      pendingRuns: runs,
      lagMs: oldestWallAt === null ? 0 : Math.max(0, this.#options.clock.wall() - oldestWallAt),
      failures: this.#failures,
      sent: this.#sent,
      damaged: this.#damaged,
    };
  }

  /** Waits for the write in progress, and stops. The next start sends the remaining runs. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#options.ledger.onWritten(() => {});
    this.#cancelWait?.();
    this.#cancelCheck?.();
    await this.#working;
    this.#outbox.close();
  }
}

const POLL_MS = 50;

/**
 * Waits until every run has been sent, or until `hasGivenUp` returns true. Returns the number of remaining runs.
 * `toTheEnd`: also waits until the database has confirmed earlier runs.
 */
export async function untilDrained(
  drainer: Drainer,
  clock: Clock,
  hasGivenUp: (state: DrainerState) => boolean,
  toTheEnd = false,
): Promise<number> {
  for (;;) {
    const state = drainer.state();
    const isDone = state.pendingRuns === 0 && (drainer.hasCompared || !toTheEnd);
    if (isDone || hasGivenUp(state)) return state.pendingRuns;
    await new Promise<void>((resolve) => clock.after(POLL_MS, resolve));
  }
}
