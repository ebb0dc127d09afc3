import type { Held } from "../terms/byte-budget.ts";
import type { Caller, Context } from "../terms/caller.ts";
import type { Clock } from "../terms/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { readJsonExactly, readJsonInStretches, type Json, type JsonObject } from "../terms/json.ts";
import { Stretch } from "../terms/stretch.ts";
import type { Trace } from "../terms/trace.ts";
import type { EngineParts, StartedRun } from "./data-run.ts";
import {
  ANSWER_BYTES_MAX,
  echoConfig,
  holdFrame,
  lengthOf,
  seal,
  withoutCredentials,
  type EnvelopeParts,
} from "./envelope.ts";
import { openHost, STEP_NOT_KEPT, type HostParts, type OpenHost } from "./function-host.ts";
import { readFunctionResult, type FunctionResult } from "./function-result.ts";
import { toKept } from "./keep-output.ts";
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
      const config = echoConfig({ ...CONFIG_DEFAULTS, ...request.config }, request.caller, {
        context: request.context,
        organization_tuid: organizationId,
      });
      // Written now: whatever the sources of the run do, this is what it was asked.
      const echoed = toKept(JSON.stringify(config));
      const frame = holdFrame(
        request.held,
        request.caller,
        echoed,
        request.functionId === null ? [] : [request.functionId],
      );
      const { run, intent } = openRun({ kind: "func", ...request }, parts);
      const answer = (async () => {
        const host = openHost(hostRun(run, request, parts), hostParts);
        const returned =
          request.functionId === null ? null : await runOne(request.functionId, run, request, config, host, parts);
        // A call of ours that fails may still be waiting for its vendor: it is settled and recorded with the run.
        const calls = host.end();
        const [outcome, written] = writeWithin(returned, frame, run, (of) =>
          request.passthrough && of !== null
            ? markSimulated(run, passthroughFields(run, of))
            : envelopeFields(run, request, echoed, of),
        );
        const fault = outcome?.result instanceof Fault ? outcome.result.code : null;
        const report = reportRun(intent, run, calls, Math.round(clock.now() - run.arrivedAt), fault);
        for (const observer of parts.observers) observer.runEnded(report);
        await run.record.close(report);
        const bytes = seal(written, Math.round(clock.now() - run.arrivedAt));
        run.held.keepOnly(bytes.length);
        return bytes;
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
    result = await callFunction(found, run, request, config, host, parts.clock);
  } catch (thrown) {
    result = asFault(thrown, "function.collect");
    if (result.code === "function.collect") host.log("warn", `its result could not be collected: ${nameOf(thrown)}`);
  }
  const pipes = await readSteps(host, parts.clock);
  return { result, pipes, tookMs: Math.round(parts.clock.now() - startedAt) };
}

async function callFunction(
  found: RunnableFunction,
  run: Run,
  request: FunctionRequest,
  config: JsonObject,
  host: OpenHost,
  clock: Clock,
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
  const argumentBytes = Buffer.byteLength(argument);
  if (!run.held.hold(argumentBytes)) throw new Fault("function.no_room");
  const text = await found
    .run({ organizationId, transactionId: run.transactionId, deadlineAt, argument }, host)
    .finally(() => run.held.drop(argumentBytes));
  return readFunctionResult(text, clock);
}

/** What a function has recorded. A step that cannot be read is one that was not kept. */
async function readSteps(host: OpenHost, clock: Clock): Promise<JsonObject> {
  const stretch = new Stretch(clock);
  const steps: [string, Json][] = [];
  for (const [name, json] of host.pipes) {
    try {
      const reading = readJsonInStretches(json, stretch);
      steps.push([name, reading instanceof Promise ? await reading : reading]);
    } catch {
      host.log("warn", "a recorded step could not be read");
      steps.push([name, readJsonExactly(STEP_NOT_KEPT)]);
    }
  }
  return Object.fromEntries<Json>(steps);
}

/** The words of an error of ours could hold anything. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}

/** Standard mode, and every answer in which no function ran (specification 2.4, 2.6, 4.2). */
function envelopeFields(
  run: Run,
  request: FunctionRequest,
  config: string | Buffer,
  outcome: FunctionOutcome | null,
): Fields {
  const outputs: [string, Json][] = [];
  const status: [string, Json][] = [];
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
    ["transaction_id", JSON.stringify(run.transactionId)],
    ["config", config],
    ["outputs", toText(Object.fromEntries<Json>(outputs))],
    ["status", toText(Object.fromEntries<Json>(status))],
  ];
}

function messageOf(result: FunctionResult | Fault): string {
  if (result instanceof Fault) return result.says;
  return result.message ?? (result.success ? "Function completed" : "The function reports a failure");
}

/** The function's own fields at the top level; a fixed shape where it has none (specification 4.2). */
function passthroughFields(run: Run, { result, pipes }: FunctionOutcome): Fields {
  const recorded = Object.keys(pipes).length > 0;
  if (result instanceof Fault && recorded) return [["output", "{}"], ["pipes", toText(pipes)]]; // prettier-ignore
  if (result instanceof Fault || result.fields === null) {
    return [["transaction_id", JSON.stringify(run.transactionId)], ["output", "{}"], ["pipes", "{}"]]; // prettier-ignore
  }
  const fields = Object.entries(result.fields)
    .filter(([name]) => name !== "response_time_ms" && !(recorded && name === "pipes"))
    .map(([name, value]) => [name, toText(value)] as const);
  return recorded ? [...fields, ["pipes", toText({ ...pipes, ...result.pipes })]] : fields;
}

/** Without the envelope there is no `config.mode` to say it: the mark stands at the top, whatever the function says there. */
function markSimulated(run: Run, fields: Fields): Fields {
  return run.simulated ? [...fields.filter(([name]) => name !== "mode"), ["mode", '"simulated"']] : fields;
}

/** The fields of an answer, each with its JSON text. */
type Fields = readonly (readonly [name: string, json: string | Buffer])[];

function toText(value: Json): string | Buffer {
  return toKept(JSON.stringify(value));
}

/** Of the time, which is added when all else is done. */
const TIME_BYTES_MAX = 24;

/**
 * Writes the answer to what became of a function. One that would be too large, or that there is no room for, is a failure
 * of the function: its answer always fits, because its room has been kept since the run began.
 */
function writeWithin(
  outcome: FunctionOutcome | null,
  frame: number,
  run: Run,
  fieldsOf: (outcome: FunctionOutcome | null) => Fields,
): readonly [FunctionOutcome | null, EnvelopeParts] {
  try {
    const parts = toParts(fieldsOf(outcome));
    const bytes = lengthOf(parts) + TIME_BYTES_MAX;
    if (bytes > ANSWER_BYTES_MAX)
      throw new Fault("function.contract", { problem: "the whole answer would be too large" });
    if (bytes > frame && !run.held.hold(bytes - frame)) throw new Fault("function.no_room");
    return [outcome, parts];
  } catch (thrown) {
    const failed = { result: asFault(thrown, "function.collect"), pipes: {}, tookMs: outcome?.tookMs ?? 0 };
    return [failed, toParts(fieldsOf(failed))];
  }
}

function toParts(fields: Fields): EnvelopeParts {
  const parts: (string | Buffer)[] = [];
  let before = "{";
  for (const [name, json] of fields) {
    parts.push(`${before}${JSON.stringify(name)}:`, json);
    before = ",";
  }
  parts.push(`${before}"response_time_ms":`);
  return parts;
}
