import type { CommandIo } from "../../../admin/cli/command-io.ts";
import { usage } from "../../../admin/cli/parse-command.ts";
import { openProgress } from "../../../admin/cli/progress.ts";
import { EXIT } from "../../../admin/cli/report-failure.ts";
import { readMaxCost } from "../../../batch/batch-budget.ts";
import { type BatchSpec, readPairs } from "../../../batch/batch-spec.ts";
import type { BatchParts, BatchResult } from "../../../batch/batch-request.ts";
import type { ServiceAccess } from "../../../batch/service-client.ts";
import type { Context } from "../../../terms/caller.ts";
import { growSlowly } from "../../../terms/platform/grow-slowly.ts";
import { systemClock } from "../../../terms/time/clock.ts";
import { COMMAND_VARIABLES } from "../../../terms/variables.ts";
import { type CommandOutcome, runToEnd } from "../command-process.ts";
import { openAdminAccess } from "./open-admin-access.ts";
import { renderDryRun, renderBatch } from "./render-batch.ts";

export interface BatchInputs {
  readonly input: string;
  readonly sources?: readonly string[];
  readonly func?: string;
  readonly workflow?: string;
  readonly context?: Context;
  readonly map?: readonly string[];
  readonly const?: readonly string[];
  readonly keep?: readonly string[];
  readonly out?: string;
  readonly concurrency?: number;
  readonly dry_run?: boolean;
  readonly sample?: number;
  readonly max_cost?: string;
  readonly again?: boolean;
  readonly url?: string;
  readonly data_dir?: string;
  readonly project?: string;
  readonly remote?: string;
  readonly json?: boolean;
}

const CONCURRENCY = 8;
/** Rows are left, rejected, lost or unknown. */
const PARTIAL = 3;

/** Runs the batch of this command line, prints its result, and ends the process. */
export async function beginBatch(given: BatchInputs, program = () => "datarun"): Promise<number> {
  growSlowly();
  const json = given.json === true;
  return runToEnd(
    async (io) => {
      const { note, onProgress, end } = openProgress(io, systemClock, json);
      try {
        const spec = specOf(given, io.env);
        const place = { dataDir: given.data_dir, project: given.project };
        const { admin, close } = await openAdminAccess(given.remote, place, io.env);
        const parts: BatchParts = { admin, stdin: process.stdin, clock: systemClock, note, onProgress, onInterrupt };
        try {
          return await outcomeOf(given, spec, parts, io.env);
        } finally {
          await close();
        }
      } finally {
        end();
      }
    },
    json,
    program,
  );
}

async function outcomeOf(
  given: BatchInputs,
  spec: BatchSpec,
  parts: BatchParts,
  env: CommandIo["env"],
): Promise<CommandOutcome> {
  if (given.dry_run === true) {
    const { tryBatch } = await import("../../../batch/prepare-batch.ts");
    const result = await tryBatch({ input: given.input, spec }, parts);
    const isValid = result.targets.every(({ invalid }) => invalid === 0) && result.rejected === 0;
    return { result, text: renderDryRun(result), code: isValid ? EXIT.done : PARTIAL };
  }
  if (given.out === undefined) throw usage("Give --out, the file for the records.");
  const { formatOf } = await import("../../../row-files/row-file.ts");
  if (formatOf(given.out) === null) throw usage("The name of --out must end in .jsonl, .csv or .parquet.");
  const request = {
    input: given.input,
    spec,
    out: given.out,
    concurrency: given.concurrency ?? CONCURRENCY,
    sample: given.sample ?? null,
    maxCost: given.max_cost === undefined ? null : readMaxCost(given.max_cost),
    again: given.again === true,
  };
  const { runBatch } = await import("../../../batch/run-batch.ts");
  const result = await runBatch(request, serviceOf(given, spec, env), parts);
  return { result, text: renderBatch(result), code: codeOf(result) };
}

function codeOf({ answered, lost, unknown, open, rows, stopped, projection }: BatchResult): number {
  if (stopped !== null && answered + lost + unknown === 0) return EXIT.failed;
  if (stopped !== null || open > 0) return PARTIAL;
  const isComplete = projection === null ? answered === rows : projection.rows_answered === projection.rows_chosen;
  return isComplete ? EXIT.done : PARTIAL;
}

function specOf(given: BatchInputs, env: CommandIo["env"]): BatchSpec {
  const sources = (given.sources ?? []).flatMap((list) => list.split(",")).map((source) => source.trim());
  if ((sources.length === 0) === (given.func === undefined)) throw usage("Give either --sources or --func.");
  if (new Set(sources).size < sources.length || sources.includes(""))
    throw usage("--sources names a source twice, or none.");
  const workflow = given.workflow ?? env[COMMAND_VARIABLES.workflow] ?? "";
  if (workflow === "") throw usage(`Give --workflow, or set ${COMMAND_VARIABLES.workflow}.`);
  return {
    sources,
    func: given.func ?? null,
    workflow,
    context: given.context ?? null,
    columns: readPairs("--map", given.map ?? []),
    constants: readPairs("--const", given.const ?? []),
    kept: given.keep ?? [],
  };
}

function serviceOf(given: BatchInputs, { workflow }: BatchSpec, env: CommandIo["env"]): ServiceAccess {
  const address = given.url ?? env[COMMAND_VARIABLES.url] ?? "";
  const url = URL.parse(address);
  const from = given.url === undefined ? COMMAND_VARIABLES.url : "--url";
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.search !== "" || url.hash !== "")
    throw usage(`${from} must be the address of a public port, such as https://datarun.acme.example.`);
  const token = env[COMMAND_VARIABLES.token]?.trim() ?? "";
  if (!/^[!-~]+$/.test(token)) throw usage(`Set ${COMMAND_VARIABLES.token} to the access token of the caller.`);
  return { url, token, workflow };
}

/** A launcher passes a signal on that the terminal has sent to both. */
const SAME_SIGNAL_MS = 1_000;

/** The first signal ends the batch in good order, and a second one the process. */
function onInterrupt(interrupted: () => void): () => void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  let first: number | null = null;
  const listener = (signal: NodeJS.Signals): void => {
    if (first === null) {
      first = performance.now();
      interrupted();
    } else if (performance.now() - first > SAME_SIGNAL_MS) {
      forget();
      process.kill(process.pid, signal);
    }
  };
  const forget = (): void => signals.forEach((signal) => process.off(signal, listener));
  for (const signal of signals) process.on(signal, listener);
  return forget;
}
