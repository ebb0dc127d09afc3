import { OperatorError } from "../terms/operator-error.ts";
import type { Json, JsonObject } from "../terms/json/json.ts";
import type { Clock } from "../terms/time/clock.ts";
import type { BatchJournal } from "./batch-journal.ts";
import type { BatchSpec } from "./batch-spec.ts";
import type { PlannedTarget } from "./plan.ts";
import { createRatePacer, type RatePacer } from "./rate-pacer.ts";
import { isUnrun, readFunction, readSources } from "./read-answer.ts";
import type { BatchRecord } from "./record.ts";
import { makeRef } from "./request-ref.ts";
import { isRejected, openSources, type RejectedRow, type RowJob } from "./row-jobs.ts";
import type { RequestOutcome, ServiceClient } from "./service-client.ts";

export interface AskingParts {
  readonly batch: string;
  readonly spec: BatchSpec;
  readonly targets: readonly PlannedTarget[];
  readonly client: ServiceClient;
  readonly journal: BatchJournal;
  readonly clock: Clock;
  readonly concurrency: number;
  /** Called when an answer is durable. `replaced`: the record of the same row before. */
  onAnswered(record: BatchRecord, replaced: BatchRecord | null): void;
  onRejected(rejected: RejectedRow): void;
  /** Called once each time that the service runs nothing for several pauses. */
  onWaiting(reason: string): void;
}

/** How often a row is asked again because sources of it were not called. */
const TRIES_MAX = 6;
/** Rows that wait to be asked again; their records are in memory. */
const WAITING_MAX = 500;
const FIRST_PAUSE_MS = 250;
const PAUSE_MS_MAX = 30_000;
/** The pause without an answer after which a person is told. */
const TOLD_PAUSE = 3;
/** The service answers nothing else than that it is busy, or cannot be reached. */
const BUSY_MS_MAX = 5 * 60_000;
/** Requests in a row of which nobody knows what became of them. */
const UNSURE_MAX = 20;
const SLOW_DOWN_EVERY_MS = 1_000;

/**
 * Asks rows, at most `concurrency` at a time, and fewer while the service or its vendors are overloaded. A request that
 * may have been run is never repeated.
 */
export class RowAsker {
  readonly #parts: AskingParts;
  readonly #pacer: RatePacer;
  #jobs: AsyncIterator<RowJob | RejectedRow> | null = null;
  /** Jobs to be asked again, by the time from which on. */
  readonly #waiting: { readonly at: number; readonly job: RowJob }[] = [];
  #inFlight = 0;
  #writing = 0;
  #limit: number;
  #pausedUntil = 0;
  #pauses = 0;
  #busySince: number | null = null;
  #unsure = 0;
  #slowedAt = Number.NEGATIVE_INFINITY;
  #stopped: string | null = null;
  #failure: unknown = null;
  #wake: () => void = () => {};

  constructor(parts: AskingParts) {
    this.#parts = parts;
    this.#pacer = createRatePacer(parts.targets);
    this.#limit = parts.concurrency;
  }

  /** Begins no further request. Those in progress are finished. The first reason counts. */
  stop(reason: string): void {
    this.#stopped ??= reason;
    this.#wake();
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  /** Asks all rows, and returns why it ended before, or `null`. @throws if the files cannot be written */
  async ask(jobs: AsyncGenerator<RowJob | RejectedRow, void, void>): Promise<string | null> {
    this.#jobs = jobs;
    try {
      while (this.#stopped === null && (await this.#step()));
      while (this.#inFlight > 0 || this.#writing > 0) await this.#woken(Number.POSITIVE_INFINITY);
    } finally {
      await jobs.return();
    }
    if (this.#failure !== null) throw this.#failure;
    return this.#stopped;
  }

  /** Begins a request, or waits. `false`: nothing is left to do. */
  async #step(): Promise<boolean> {
    const { clock } = this.#parts;
    const isFull = this.#inFlight >= Math.floor(this.#limit) || this.#writing > 4 * this.#parts.concurrency;
    const pauseMs = this.#pausedUntil - clock.now();
    if (isFull || pauseMs > 0) {
      await this.#woken(isFull ? Number.POSITIVE_INFINITY : pauseMs);
      return true;
    }
    const job = this.#takeWaiting() ?? (this.#waiting.length < WAITING_MAX ? await this.#nextJob() : null);
    if (job === null) {
      const isOver = this.#inFlight === 0 && this.#writing === 0 && this.#waiting.length === 0;
      if (!isOver) await this.#woken(Math.min(...this.#waiting.map(({ at }) => at)) - clock.now());
      return !isOver;
    }
    const delayMs = this.#pacer.reserve(this.#idsOf(job), clock.now());
    for (const at = clock.now() + delayMs; this.#stopped === null && clock.now() < at;)
      await this.#woken(at - clock.now());
    if (this.#stopped !== null) return false;
    this.#inFlight += 1;
    void this.#askOne(job)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#inFlight -= 1;
        this.#wake();
      });
    return true;
  }

  /** The next row to be asked. Rows that cannot be asked are recorded on the way. */
  async #nextJob(): Promise<RowJob | null> {
    for (;;) {
      const next = await this.#jobs!.next();
      if (next.done === true || this.#stopped !== null) return null;
      if (!isRejected(next.value)) return next.value;
      this.#reject(next.value);
      if (this.#writing > 1_000) await this.#woken(Number.POSITIVE_INFINITY);
    }
  }

  #takeWaiting(): RowJob | null {
    const now = this.#parts.clock.now();
    const at = this.#waiting.findIndex((each) => each.at <= now);
    return at === -1 ? null : this.#waiting.splice(at, 1)[0]!.job;
  }

  #idsOf(job: RowJob): readonly string[] {
    const { func } = this.#parts.spec;
    return func === null ? job.sources : [func];
  }

  async #askOne(job: RowJob): Promise<void> {
    const { journal, client, clock, batch, spec } = this.#parts;
    const wallAt = clock.wall();
    const ref = makeRef(batch, job.row, wallAt);
    await journal.asked(job.row, ref);
    // Nothing was sent, and nothing will be.
    if (this.#stopped !== null) return journal.free(job.row);
    const sentAt = clock.now();
    const path = spec.func === null ? "/data" : "/func";
    const outcome = await client.post(path, bodyOf(job, spec), ref);
    const times = { asked_at: new Date(wallAt).toISOString(), took_ms: Math.round(clock.now() - sentAt) };
    if (outcome.kind !== "unsure") this.#unsure = 0;
    if (outcome.kind !== "busy") this.#busySince = null;
    if (outcome.kind === "answered") this.#answered(job, outcome, { row: job.row, ref, ...times });
    else await this.#notAnswered(job, outcome);
  }

  async #notAnswered(job: RowJob, outcome: Exclude<RequestOutcome, { kind: "answered" }>): Promise<void> {
    const { journal } = this.#parts;
    if (outcome.kind === "unsure") {
      this.#unsure += 1;
      if (this.#unsure >= UNSURE_MAX)
        this.stop(`${UNSURE_MAX} requests in a row had no answer, the last because ${outcome.reason}.`);
      // Its row stays as asked: the ledger knows more.
      return;
    }
    if (outcome.kind === "refused") {
      if (job.previous === null) this.#reject({ row: job.row, reasons: outcome.reasons, values: job.inputs });
      else await journal.free(job.row);
      return;
    }
    await journal.free(job.row);
    if (outcome.kind === "stopped") return this.stop(`The service refuses every request: ${outcome.reason}`);
    this.#pause(outcome.reason);
    this.#waiting.push({ at: this.#pausedUntil, job });
  }

  #answered(
    job: RowJob,
    { status, body }: Extract<RequestOutcome, { kind: "answered" }>,
    request: Pick<BatchRecord, "row" | "ref" | "asked_at" | "took_ms">,
  ): void {
    const { spec, targets, journal, onAnswered } = this.#parts;
    this.#pauses = 0;
    this.#limit = Math.min(this.#parts.concurrency, this.#limit + 1 / this.#limit);
    const run = typeof body["transaction_id"] === "string" ? body["transaction_id"] : "";
    const before = job.previous === null ? [] : (job.previous.transaction_ids ?? [job.previous.transaction_id]);
    const record: BatchRecord = {
      ...request,
      http_status: status,
      transaction_id: run,
      ...(before.length > 0 && { transaction_ids: [...before, run] }),
      inputs: job.inputs,
      ...(job.kept !== null && { kept: job.kept }),
      ...(spec.func === null
        ? { sources: { ...job.previous?.sources, ...readSources(body, job.sources, targets) } }
        : { function: readFunction(body, spec.func) }),
    };
    const open = openSources(record);
    const isOpen = open.length > 0 || (record.function !== undefined && isUnrun(record.function));
    this.#write(journal.answered(record, isOpen), () => {
      onAnswered(record, job.previous);
      if (isOpen) this.#askLater({ ...job, sources: open, previous: record, tries: job.tries + 1 });
    });
  }

  /** Sources that were not called are asked again, after a growing pause. A later run of the batch does so as well. */
  #askLater(job: RowJob): void {
    const { clock } = this.#parts;
    const budget = Object.values(job.previous?.sources ?? {}).find(({ failure }) => failure?.kind === "budget");
    if (budget !== undefined)
      return this.stop(
        `A budget is used up. With room in it, such as by a higher --max-cost, the same command continues: ${budget.message}`,
      );
    if (clock.now() - this.#slowedAt >= SLOW_DOWN_EVERY_MS) {
      this.#slowedAt = clock.now();
      this.#limit = Math.max(1, this.#limit / 2);
    }
    if (job.tries >= TRIES_MAX || this.#stopped !== null) return;
    this.#waiting.push({ at: clock.now() + Math.min(PAUSE_MS_MAX, 500 * 2 ** job.tries), job });
  }

  #pause(reason: string): void {
    const { clock } = this.#parts;
    const now = clock.now();
    this.#busySince ??= now;
    if (now - this.#busySince > BUSY_MS_MAX) return this.stop(`Nothing was run for five minutes: ${reason}`);
    if (now < this.#pausedUntil) return;
    const pauseMs = Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 2 ** this.#pauses);
    this.#pauses += 1;
    if (this.#pauses === TOLD_PAUSE) this.#parts.onWaiting(reason);
    this.#pausedUntil = now + pauseMs * (0.75 + Math.random() / 2);
    this.#limit = Math.max(1, this.#limit / 2);
  }

  #reject(rejected: RejectedRow): void {
    const entry: Record<string, Json> = { ...rejected, reasons: [...rejected.reasons] };
    this.#write(this.#parts.journal.rejected(rejected.row, entry), () => this.#parts.onRejected(rejected));
  }

  #write(written: Promise<void>, then: () => void): void {
    this.#writing += 1;
    void written
      .then(then)
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#writing -= 1;
        this.#wake();
      });
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.stop(error instanceof OperatorError ? error.message : "It has failed.");
  }

  /** Resolves when something has ended, or after this time. */
  #woken(afterMs: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = Number.isFinite(afterMs) ? this.#parts.clock.after(Math.max(0, afterMs), resolve) : undefined;
      const wake = (): void => {
        cancel?.();
        resolve();
      };
      this.#wake = wake;
    });
  }
}

function bodyOf(job: RowJob, { func, context }: BatchSpec): JsonObject {
  const config = {
    ...(context !== null && { context }),
    ...(func === null
      ? { sources: Object.fromEntries(job.sources.map((source) => [source, true])) }
      : { data_func: func }),
  };
  return { config, inputs: job.inputs };
}
