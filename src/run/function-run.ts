import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import { asFault, Fault, type FieldProblem } from "../terms/fault.ts";
import type { Json, JsonObject } from "../terms/json.ts";
import type { Trace } from "../terms/trace.ts";
import type { EngineParts, StartedRun } from "./data-run.ts";
import { echoConfig, withoutCredentials } from "./envelope.ts";
import { openHost, type HostParts, type OpenHost } from "./function-host.ts";
import { readFunctionResult, type FunctionResult } from "./function-result.ts";
import { openRun } from "./open-run.ts";
import type { FunctionCatalog, Run, RunnableFunction } from "./ports.ts";
import { ReplyRoom } from "./reply-room.ts";
import { reportRun } from "./report.ts";

export interface FunctionEngineParts extends EngineParts, Omit<HostParts, "replyRoom"> {
  readonly functions: FunctionCatalog;
}

/** A valid `POST /func`, from an authenticated caller. */
export interface FunctionRequest {
  readonly caller: Caller;
  readonly context: Context;
  readonly config: JsonObject;
  readonly sources: JsonObject;
  readonly inputs: JsonObject;
  /** The unknown top-level fields. */
  readonly extra: JsonObject;
  /** `null`: none was named, and none runs. */
  readonly functionId: string | null;
  readonly passthrough: boolean;
  readonly trace?: Trace | null;
  /** What its body holds in memory already; the run goes on with it. */
  readonly held: Held;
  readonly arrivedAt: number;
}

/** How a function ended: what it returned, or the fault that stands in its place; and what it had recorded by then. */
interface FunctionOutcome {
  readonly result: FunctionResult | Fault;
  readonly pipes: JsonObject;
  readonly tookMs: number;
}

/** What a `config` says that leaves these out (specification 4.2). */
const CONFIG_DEFAULTS: JsonObject = { sources: {}, data_func: null, datafunc_response_passthrough: false };

/** Makes the function that runs `POST /func`. It throws a `request.*` fault before anything runs, or not at all. */
export function createFunctionRun(parts: FunctionEngineParts): (request: FunctionRequest) => StartedRun {
  const { admission, clock } = parts;
  const hostParts: HostParts = { ...parts, replyRoom: new ReplyRoom(clock) };

  return function runFunction(request) {
    const { organizationId } = request.caller;
    admission.enter(organizationId);
    try {
      const { run, intent } = openRun({ kind: "func", ...request }, parts);
      const config = echoConfig({ ...CONFIG_DEFAULTS, ...request.config }, request.caller, {
        context: request.context,
        organization_tuid: organizationId,
      });
      const answer = (async () => {
        const host = openHost(hostRun(run, request, parts), hostParts);
        const outcome =
          request.functionId === null ? null : await runOne(request.functionId, run, request, config, host, parts);
        // A call of ours that fails may still be waiting for its vendor: it is settled and recorded with the run.
        const calls = host.end();
        const fault = outcome?.result instanceof Fault ? outcome.result.code : null;
        const report = reportRun(intent, run, calls, Math.round(clock.now() - run.arrivedAt), fault);
        for (const observer of parts.observers) observer.runEnded(report);
        const fields =
          request.passthrough && outcome !== null
            ? passthroughFields(run, outcome)
            : envelopeFields(run, request, config, outcome);
        await run.record.close(report);
        return toBytes(fields, Math.round(clock.now() - run.arrivedAt));
      })().finally(() => admission.leave(organizationId));
      return { answer, clientGone: () => void (run.maySend = false) };
    } catch (fault) {
      admission.leave(organizationId);
      throw fault;
    }
  };
}

/** What a function keeps of its time when a source takes all the rest: enough to answer with what it has. */
const RESERVE_MS = 250;

function hostRun(run: Run, request: FunctionRequest, parts: FunctionEngineParts) {
  const timeoutMs = request.functionId === null ? 0 : (parts.functions.find(request.functionId)?.timeoutMs ?? 0);
  const deadlineAt = run.arrivedAt + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 10);
  return { run, functionId: request.functionId ?? "", sources: request.sources, deadlineAt };
}

async function runOne(
  id: string,
  run: Run,
  request: FunctionRequest,
  config: JsonObject,
  host: OpenHost,
  parts: FunctionEngineParts,
): Promise<FunctionOutcome> {
  const startedAt = parts.clock.now();
  const found = parts.functions.find(id);
  let result: FunctionResult | Fault;
  try {
    if (found === undefined) throw new Fault("function.unknown", { function: id });
    refuseInputs(found.inputProblem(request.inputs));
    result = await callFunction(found, run, request, config, host);
  } catch (thrown) {
    result = asFault(thrown, "function.collect");
    if (result.code === "function.collect") host.log("warn", `its result could not be collected: ${nameOf(thrown)}`);
  }
  const pipes = Object.fromEntries<Json>(host.pipes);
  return { result, pipes, tookMs: Math.round(parts.clock.now() - startedAt) };
}

async function callFunction(
  found: RunnableFunction,
  run: Run,
  request: FunctionRequest,
  config: JsonObject,
  host: OpenHost,
): Promise<FunctionResult> {
  const argument = JSON.stringify({
    inputs: request.inputs,
    extra: request.extra,
    config: { ...config, sources: withoutCredentials(request.sources) },
    context: run.context,
    region: run.region,
    transaction_id: run.transactionId,
  });
  const deadlineAt = run.arrivedAt + found.timeoutMs;
  const { organizationId } = run.caller;
  const text = await found.run({ organizationId, transactionId: run.transactionId, deadlineAt, argument }, host);
  const result = readFunctionResult(text);
  if (result.fields !== null && result.success) refuseOutput(found.outputProblem(result.output), host);
  return result;
}

/** What is wrong with inputs is the caller's business, and named. */
function refuseInputs(problem: FieldProblem | null): void {
  if (problem === null) return;
  const words = ["input", fieldOf(problem), problem.message].filter((word) => word !== "");
  throw new Fault("function.contract", { problem: words.join(" ") });
}

/** What is wrong with an output is the author's business, and goes to the log. */
function refuseOutput(problem: FieldProblem | null, host: OpenHost): void {
  if (problem === null) return;
  host.log("warn", `its output breaks its contract: ${fieldOf(problem)} ${problem.message}`);
  throw new Fault("function.contract", { problem: "the function's output breaks its contract" });
}

/** The words of an error of ours could hold anything. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

function fieldOf({ path }: FieldProblem): string {
  return path.slice(1).replaceAll("/", ".");
}

/** Standard mode, and every answer in which no function ran (specification 2.4, 2.6, 4.2). */
function envelopeFields(
  run: Run,
  request: FunctionRequest,
  config: JsonObject,
  outcome: FunctionOutcome | null,
): Fields {
  const outputs: Fields = [];
  const status: Fields = [];
  if (outcome !== null && request.functionId !== null) {
    const { result, tookMs } = outcome;
    const failed = result instanceof Fault;
    const pipes = failed ? outcome.pipes : { ...outcome.pipes, ...result.pipes };
    outputs.push([request.functionId, { output: failed ? {} : result.output, pipes }]);
    status.push([
      request.functionId,
      { success: !failed && result.success, message: messageOf(result), response_time_ms: tookMs },
    ]);
  }
  return [
    ["transaction_id", run.transactionId],
    ["config", config],
    ["outputs", Object.fromEntries<Json>(outputs)],
    ["status", Object.fromEntries<Json>(status)],
  ];
}

function messageOf(result: FunctionResult | Fault): string {
  if (result instanceof Fault) return result.says;
  return result.message ?? (result.success ? "Function completed" : "The function reports a failure");
}

/** The function's own fields at the top level; a fixed shape where it has none (specification 4.2). */
function passthroughFields(run: Run, { result, pipes }: FunctionOutcome): Fields {
  const recorded = Object.keys(pipes).length > 0;
  if (result instanceof Fault && recorded) return [["output", {}], ["pipes", pipes]]; // prettier-ignore
  if (result instanceof Fault || result.fields === null) {
    return [["transaction_id", run.transactionId], ["output", {}], ["pipes", {}]]; // prettier-ignore
  }
  const fields = Object.entries(result.fields).filter(
    ([name]) => name !== "response_time_ms" && !(recorded && name === "pipes"),
  );
  return recorded ? [...fields, ["pipes", { ...pipes, ...result.pipes }]] : fields;
}

type Fields = [string, Json][];

function toBytes(fields: Fields, responseTimeMs: number): Buffer {
  return Buffer.from(JSON.stringify(Object.fromEntries<Json>([...fields, ["response_time_ms", responseTimeMs]])));
}
