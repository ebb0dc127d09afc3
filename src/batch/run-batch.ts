import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import type { Price } from "../terms/money/price.ts";
import type { Clock } from "../terms/time/clock.ts";
import { OperatorError } from "../terms/operator-error.ts";
import { RowAsker } from "./ask-rows.ts";
import {
  type BatchBudget,
  removeBatchBudget,
  requireBudgetable,
  setBatchBudget,
  usedOfBudget,
} from "./batch-budget.ts";
import { type BatchFiles, batchFiles } from "./batch-files.ts";
import type { BatchSpec } from "./batch-spec.ts";
import { asOperatorError, dryRun, type DryRunResult } from "./dry-run.ts";
import { amountTexts, spreadRows } from "./estimate.ts";
import { writeFailedRows } from "./failed-rows.ts";
import { findRequests } from "./find-requests.ts";
import { createToInputs, mapColumns, type ToInputs } from "./map-columns.ts";
import { lockBatch, openBatch, type OpenedBatch } from "./open-batch.ts";
import { type BatchInput, copyInput, openInput } from "./open-input.ts";
import { type BatchPlan, longestRunMs, planBatch } from "./plan.ts";
import type { AdminAccess } from "./ports.ts";
import { type Projection, projectSample } from "./project-sample.ts";
import { recordsOf } from "./records-file.ts";
import { rowJobs } from "./row-jobs.ts";
import { createServiceClient, type ServiceAccess } from "./service-client.ts";
import { BatchTally } from "./tally.ts";
import { writeOutput } from "./write-output.ts";

export interface BatchRequest {
  /** A file, or `-` for standard input. */
  readonly input: string;
  /** What is asked; columns that match inputs by name are added. */
  readonly spec: BatchSpec;
  readonly out: string;
  readonly concurrency: number;
  /** The number of rows to ask, spread over the file; `null`: all. */
  readonly sample: number | null;
  readonly maxCost: Price | null;
  readonly again: boolean;
}

export interface BatchParts {
  readonly admin: AdminAccess;
  readonly stdin: Readable;
  readonly clock: Clock;
  note(sentence: string): void;
  /** @param more a phrase about what was done so far, such as its cost */
  onProgress(what: string, done: number, of: number, more?: string): void;
  /** Calls back when the person interrupts the batch. Call the returned function to stop listening. */
  onInterrupt(interrupted: () => void): () => void;
}

export interface BatchResult {
  readonly out: string;
  readonly rows: number;
  /** Rows with a record, also if sources of them were not called. */
  readonly answered: number;
  /** Of those: rows with sources that were not called, and will be by the same command. */
  readonly open: number;
  readonly rejected: number;
  /** Rows whose run is on the ledger, and whose answer is lost. */
  readonly lost: number;
  /** Rows whose request may have been run, and could not be looked up. */
  readonly unknown: number;
  /** Rows that were not asked yet. */
  readonly left: number;
  readonly targets: readonly {
    readonly source: string;
    readonly matched: number;
    readonly unmatched: number;
    readonly failed: number;
  }[];
  /** What was or may have been charged, at the planned prices. */
  readonly cost: readonly string[];
  /** Why it ended before all rows were asked. */
  readonly stopped: string | null;
  readonly projection: Projection | null;
}

/** What is asked of which file, before anything is asked. */
interface PreparedBatch {
  readonly input: BatchInput;
  readonly plan: BatchPlan;
  readonly spec: BatchSpec;
  readonly toInputs: ToInputs;
}

/** Says what a batch would do. No request is sent. @throws OperatorError */
export async function tryBatch(
  { input, spec }: Pick<BatchRequest, "input" | "spec">,
  parts: BatchParts,
): Promise<DryRunResult> {
  const folder = input === "-" ? await mkdtemp(join(tmpdir(), "datarun-batch-")) : null;
  try {
    const path = folder === null ? input : join(folder, "input");
    if (folder !== null) await copyInput(parts.stdin, path);
    const prepared = await prepare(path, spec, parts);
    return await dryRun(prepared.input, prepared.plan, prepared.toInputs).catch(asOperatorError);
  } finally {
    if (folder !== null) await rm(folder, { recursive: true });
  }
}

/** Asks the rows of a file, or continues to. @throws OperatorError if nothing can be asked */
export async function runBatch(request: BatchRequest, service: ServiceAccess, parts: BatchParts): Promise<BatchResult> {
  const files = batchFiles(request.out);
  const unlock = lockBatch(files);
  try {
    if (request.input === "-") await copyInput(parts.stdin, files.input);
    const path = request.input === "-" ? files.input : request.input;
    const prepared = await prepare(path, request.spec, parts);
    if (request.maxCost !== null) requireBudgetable(request.maxCost, prepared.plan);
    const batch = await openBatch(files, prepared.input, prepared.spec);
    return await new BatchRun(request, service, parts, files, prepared, batch).run();
  } finally {
    unlock();
  }
}

async function prepare(path: string, given: BatchSpec, { admin, note }: BatchParts): Promise<PreparedBatch> {
  const input = await openInput(path);
  const plan = await planBatch(given, admin);
  const { columns, remarks } = mapColumns(given, input.columns, plan.targets);
  remarks.forEach(note);
  for (const { id, problem } of plan.targets) if (problem !== null) note(`${id}: ${problem}`);
  if (plan.workflow?.problem != null) note(plan.workflow.problem);
  if (plan.workflow === null)
    note(`Prices are those that the sources declare, because the workflow is not known here. ${plan.withoutWorkflow}`);
  const spec = { ...given, columns };
  return { input, plan, spec, toInputs: createToInputs(spec, plan.targets, input.format === "csv") };
}

/** Requests that were freed by a look-up are asked in a further pass. */
const PASSES_MAX = 3;
const BUDGET_READ_EVERY_MS = 5_000;
/** A timer cannot be longer. */
const TIMER_MS_MAX = 2 ** 31 - 1;
const BEFORE_MONTH_END_MS = 60_000;

class BatchRun {
  readonly #request: BatchRequest;
  readonly #service: ServiceAccess;
  readonly #parts: BatchParts;
  readonly #files: BatchFiles;
  readonly #prepared: PreparedBatch;
  readonly #batch: OpenedBatch;
  readonly #tally = new BatchTally();
  readonly #selected: ReadonlySet<number> | null;
  #asker: RowAsker | null = null;
  #isInterrupted = false;
  #notLookedUp: string | null = null;
  #budget: BatchBudget | null = null;
  #budgetText: string | null = null;
  #projection: Projection | null = null;
  #budgetReadAt = 0;

  constructor(
    request: BatchRequest,
    service: ServiceAccess,
    parts: BatchParts,
    files: BatchFiles,
    prepared: PreparedBatch,
    batch: OpenedBatch,
  ) {
    this.#request = request;
    this.#service = service;
    this.#parts = parts;
    this.#files = files;
    this.#prepared = prepared;
    this.#batch = batch;
    this.#selected = request.sample === null ? null : spreadRows(request.sample, prepared.input.rows);
  }

  async run(): Promise<BatchResult> {
    const { index, isContinued, state } = this.#batch;
    const forget = this.#parts.onInterrupt(() => this.#interrupt());
    let stopped: string | null = null;
    try {
      if (isContinued) this.#parts.note(`${state.count("done") + state.count("open")} rows were answered before.`);
      for (const piece of recordsOf(this.#files.records, index)) for (const record of piece) this.#tally.add(record);
      await this.#lookUp();
      await this.#startBudget();
      stopped = await this.#askAll();
      this.#projection = this.#project();
    } finally {
      forget();
      await this.#endBudget();
      await this.#batch.close();
    }
    const { targets } = this.#prepared.plan;
    await writeOutput(
      this.#files,
      index,
      targets.map(({ id }) => id),
    );
    await writeFailedRows(this.#files, state, this.#notLookedUp);
    return this.#result(stopped);
  }

  #interrupt(): void {
    const { note } = this.#parts;
    this.#isInterrupted = true;
    const inFlight = this.#asker?.inFlight ?? 0;
    note(`Interrupted. ${inFlight} requests in progress are finished; nothing else is asked.`);
    this.#asker?.stop("It was interrupted.");
  }

  async #askAll(): Promise<string | null> {
    const { state } = this.#batch;
    const client = createServiceClient(this.#service, this.#request.concurrency);
    try {
      for (let pass = 1; ; pass += 1) {
        const stopped = await this.#askOnce(client, pass === 1 && this.#request.again);
        const unanswered = state.count("asked");
        await this.#lookUp();
        const isFreed = state.count("asked") + state.count("lost") < unanswered || this.#hasLeft();
        if (stopped !== null || unanswered === 0 || !isFreed || pass === PASSES_MAX) return stopped;
      }
    } finally {
      client.close();
    }
  }

  #hasLeft(): boolean {
    const { state } = this.#batch;
    if (this.#selected === null) return state.count("none") > 0;
    return [...this.#selected].some((row) => state.of(row) === "none");
  }

  async #askOnce(client: ReturnType<typeof createServiceClient>, again: boolean): Promise<string | null> {
    const { input, plan, spec, toInputs } = this.#prepared;
    const { state, journal, recordOf } = this.#batch;
    const { clock } = this.#parts;
    let done = 0;
    const total = this.#countToAsk(again);
    const asker = new RowAsker({
      batch: state.identity.id,
      spec,
      targets: plan.targets,
      client,
      journal,
      clock,
      concurrency: this.#request.concurrency,
      onAnswered: (record, replaced) => {
        if (replaced !== null) this.#tally.remove(replaced);
        this.#tally.add(record);
        done += 1;
        this.#showProgress(done, total);
      },
      onRejected: () => {
        done += 1;
        this.#showProgress(done, total);
      },
    });
    this.#asker = asker;
    if (this.#isInterrupted) asker.stop("It was interrupted.");
    const endOfMonth = this.#stopBeforeMonthEnds(asker);
    try {
      const jobs = { spec, targets: plan.targets, toInputs, state, selected: this.#selected, again, recordOf };
      return await asker.ask(rowJobs(await input.read(), jobs)).catch(asOperatorError);
    } finally {
      endOfMonth();
      this.#asker = null;
    }
  }

  #countToAsk(again: boolean): number {
    const { state } = this.#batch;
    const states = ["none", "open", ...(again ? (["lost", "asked"] as const) : [])] as const;
    if (this.#selected === null) return states.reduce((sum, each) => sum + state.count(each), 0);
    return [...this.#selected].filter((row) => states.some((each) => state.of(row) === each)).length;
  }

  #showProgress(done: number, of: number): void {
    const { clock, admin, onProgress } = this.#parts;
    if (this.#budget !== null && clock.now() - this.#budgetReadAt > BUDGET_READ_EVERY_MS) {
      this.#budgetReadAt = clock.now();
      usedOfBudget(admin, this.#budget.id).then(
        (text) => (this.#budgetText = text),
        () => {},
      );
    }
    const cost = this.#budgetText ?? amountTexts(this.#tally.costs).join(" and ");
    onProgress("rows", done, Math.max(done, of), cost === "" ? undefined : `${cost} so far`);
  }

  async #lookUp(): Promise<void> {
    const { state, journal } = this.#batch;
    const { plan } = this.#prepared;
    const { admin, clock, note, onProgress } = this.#parts;
    const count = state.count("asked");
    if (count === 0) return;
    this.#notLookedUp =
      plan.workflow === null
        ? plan.withoutWorkflow
        : await findRequests({
            admin,
            journal,
            state,
            clock,
            note,
            longestRunMs: longestRunMs(plan),
            answeredRef: this.#answeredRef(),
            onProgress: (done, of) => onProgress("requests looked up", done, of),
            isStopped: () => this.#isInterrupted,
          });
    if (this.#notLookedUp !== null)
      note(
        `${count} requests had no answer, and are unknown: they could not be looked up on the ledger. ${this.#notLookedUp} --again asks their rows again, which may be billed twice.`,
      );
  }

  /** The id of a request that was answered: a ledger that does not have its run is not the right one. */
  #answeredRef(): string | null {
    const { index, recordOf } = this.#batch;
    for (const [row] of index.entries()) return recordOf(row)?.ref ?? null;
    return null;
  }

  async #startBudget(): Promise<void> {
    const { maxCost } = this.#request;
    const { plan, spec } = this.#prepared;
    const { state } = this.#batch;
    const isOfOther = maxCost === null || state.budget.scope?.currency !== maxCost.currency;
    // A process that was killed has left it.
    if (state.budget.scope !== null && isOfOther) await removeBatchBudget(this.#budgetParts());
    if (maxCost === null) return;
    this.#budget = await setBatchBudget(maxCost, spec, plan.workflow!.organization, this.#budgetParts());
  }

  async #endBudget(): Promise<void> {
    const { scope } = this.#batch.state.budget;
    if (scope === null) return;
    try {
      await removeBatchBudget(this.#budgetParts());
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      this.#parts.note(
        `The budget of this batch could not be removed: ${error.message} The same command removes it, and so does "datarun budget remove", for which "datarun budget list --org ${scope.organization}" has its id.`,
      );
    }
  }

  #stopBeforeMonthEnds(asker: RowAsker): () => void {
    const { clock } = this.#parts;
    if (this.#budget === null) return () => {};
    const leftMs = this.#budget.endsWallAt - clock.wall() - BEFORE_MONTH_END_MS;
    if (leftMs > TIMER_MS_MAX) return () => {};
    return clock.after(Math.max(0, leftMs), () =>
      asker.stop(
        "The month of its budget ends, after which the budget would begin anew. Give the same command again in two minutes.",
      ),
    );
  }

  #budgetParts() {
    const { admin, clock } = this.#parts;
    const { journal, state } = this.#batch;
    return { admin, journal, state, clock };
  }

  #result(stopped: string | null): BatchResult {
    const { state } = this.#batch;
    const { plan, input } = this.#prepared;
    return {
      out: this.#files.out,
      rows: input.rows,
      answered: state.count("done") + state.count("open"),
      open: state.count("open"),
      rejected: state.count("rejected"),
      lost: state.count("lost"),
      unknown: state.count("asked"),
      left: state.count("none"),
      targets: plan.targets.map(({ id }) => {
        const { matched, unmatched, failed } = this.#tally.of(id);
        return { source: id, matched, unmatched, failed };
      }),
      cost: amountTexts(this.#tally.costs),
      stopped,
      projection: this.#projection,
    };
  }

  #project(): Projection | null {
    if (this.#selected === null) return null;
    const { plan, input } = this.#prepared;
    const sample = new BatchTally();
    for (const row of this.#selected) {
      const record = this.#batch.recordOf(row);
      if (record !== null) sample.add(record);
    }
    return projectSample(sample, this.#selected.size, plan.targets, input.rows);
  }
}
