import { RowAsker } from "./ask-rows.ts";
import { requireBudgetable } from "./batch-budget.ts";
import { type BatchFiles, batchFiles } from "./batch-files.ts";
import type { BatchParts, BatchRequest, BatchResult } from "./batch-request.ts";
import { asOperatorError } from "./dry-run.ts";
import { amountTexts, spreadRows } from "./estimate.ts";
import { writeFailedRows } from "./failed-rows.ts";
import { findRequests } from "./find-requests.ts";
import { lockBatch, openBatch, type OpenedBatch } from "./open-batch.ts";
import { copyInput } from "./open-input.ts";
import { longestRunMs } from "./plan.ts";
import { prepareBatch, type PreparedBatch } from "./prepare-batch.ts";
import { type Projection, projectSample } from "./project-sample.ts";
import { recordsOf } from "./records-file.ts";
import { rowJobs } from "./row-jobs.ts";
import { RunBudget } from "./run-budget.ts";
import { createServiceClient, type ServiceAccess } from "./service-client.ts";
import { BatchTally } from "./tally.ts";
import { writeOutput } from "./write-output.ts";

/** Asks the rows of a file, or continues to. @throws OperatorError if nothing can be asked */
export async function runBatch(request: BatchRequest, service: ServiceAccess, parts: BatchParts): Promise<BatchResult> {
  const files = batchFiles(request.out);
  const unlock = lockBatch(files);
  try {
    if (request.input === "-") await copyInput(parts.stdin, files.input);
    const path = request.input === "-" ? files.input : request.input;
    const prepared = await prepareBatch(path, request.spec, parts);
    if (request.maxCost !== null) requireBudgetable(request.maxCost, prepared.plan);
    const batch = await openBatch(files, prepared.input, prepared.spec);
    return await new BatchRun(request, service, parts, files, prepared, batch).run();
  } finally {
    unlock();
  }
}

/** Requests that were freed by a look-up are asked in a further pass. */
const PASSES_MAX = 3;

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
  readonly #budget: RunBudget;
  #projection: Projection | null = null;

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
    this.#budget = new RunBudget(request, parts, prepared, batch);
    this.#selected = request.sample === null ? null : spreadRows(request.sample, prepared.input.rows);
  }

  async run(): Promise<BatchResult> {
    const { index, isContinued, state } = this.#batch;
    const forget = this.#parts.onInterrupt(() => this.#interrupt());
    let stopped: string | null = null;
    try {
      if (isContinued) {
        const before = state.count("done") + state.count("open");
        this.#parts.note(before === 1 ? "1 row was answered before." : `${before} rows were answered before.`);
      }
      for (const piece of recordsOf(this.#files.records, index)) for (const record of piece) this.#tally.add(record);
      await this.#lookUp();
      await this.#budget.start();
      stopped = await this.#askAll();
      this.#projection = this.#project();
    } finally {
      forget();
      await this.#budget.end();
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
    const { clock, note } = this.#parts;
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
      onWaiting: (reason) => note(`Nothing is run now, and it is tried again for up to five minutes: ${reason}`),
    });
    this.#asker = asker;
    if (this.#isInterrupted) asker.stop("It was interrupted.");
    const endOfMonth = this.#budget.stopBeforeMonthEnds(asker);
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
    const { onProgress } = this.#parts;
    const cost = this.#budget.usedText() ?? amountTexts(this.#tally.costs).join(" and ");
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
