import { asFault, Fault } from "../terms/fault.ts";
import type { WorkflowVersions } from "../terms/caller.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Clock } from "../terms/time/clock.ts";
import { withoutCredentials } from "./envelope.ts";
import { functionFailureOf } from "./failure.ts";
import { writeFunctionAnswer, type FunctionOutcome } from "./function-answer.ts";
import { openHost, type HostParts, type OpenHost } from "./function-host.ts";
import { createMisspelledInputReporter } from "./misspelled-inputs.ts";
import { readFunctionResult, readSteps, type FunctionResult } from "./function-result.ts";
import { findFunction, RefusedVersion } from "./find-version.ts";
import type { FunctionCatalog, RunnableFunction } from "./ports.ts";
import { ReplyMemoryGate } from "./reply-memory-gate.ts";
import type { Shadows } from "./shadow-run.ts";
import {
  newRunIdentity,
  startRun,
  type EngineParts,
  type RunRequest,
  type RunVariant,
  type StartedRun,
  type RunContext,
} from "./active-run.ts";

export interface FunctionEngineParts extends EngineParts, Omit<HostParts, "replyMemory"> {
  readonly functions: FunctionCatalog;
  /** Without it, no run has a shadow run. */
  readonly shadows?: Shadows;
}

/** A valid `POST /func`, from an authenticated caller. */
export interface FunctionRequest extends RunRequest {
  /** The top-level fields that are not part of the contract. */
  readonly extra: JsonObject;
  /** `null` if no function was named; then none runs. */
  readonly functionId: string | null;
  readonly passthrough: boolean;
}

/** The defaults of the fields that a `config` leaves out. */
const CONFIG_DEFAULTS: JsonObject = { sources: {}, data_func: null, datafunc_response_passthrough: false };
/** The time between the deadline of a function's calls and its own: enough to return a partial result. */
const RESERVE_MS = 250;

/** Creates the function that runs `POST /func`. It throws only a `request.*` fault, and only before anything runs. */
export function createFunctionRun(parts: FunctionEngineParts): (request: FunctionRequest) => StartedRun {
  const reportMisspelledInputs = createMisspelledInputReporter(parts.observers);
  const hostParts: HostParts = { ...parts, replyMemory: new ReplyMemoryGate(parts.clock) };

  return function runFunction(request) {
    const { functionId: id, sources, context, caller } = request;
    const config = { ...CONFIG_DEFAULTS, ...request.config, context, organization_tuid: caller.organizationId };
    const { chosen, ...ofVersion } = chooseFunction(id, caller.workflow.versions, parts);
    const kind = { kind: "func", functionId: id, ...ofVersion, config, ids: id === null ? [] : [id] } as const;
    return startRun(request, kind, parts, async (runContext) => {
      const found = chosen instanceof Promise ? await chosen : chosen;
      const host = openHost(
        { run: runContext.run, functionId: id ?? "", sources, deadlineAt: sourcesUntil(runContext, found) },
        hostParts,
      );
      const sampled = isRunnable(found) ? (parts.shadows?.begin(runContext.run, found, host) ?? null) : null;
      const runs = sampled?.watched ?? found;
      const outcome = id === null ? null : await runOne(id, runs, runContext, request, host, parts.clock);
      // If the engine itself failed, calls may still be in progress: `end` ends them, so they are recorded with the run.
      const calls = host.end();
      return {
        calls,
        ...writeFunctionAnswer(outcome, runContext, request, (fault) => functionFailureOf(fault, calls, host)),
        // The schema of a function may accept names that it does not declare, and the answer then does not mention them.
        afterwards: () => {
          reportMisspelledInputs(runContext.run.intent.transactionId, isRunnable(found) ? [found] : [], request.inputs);
          if (outcome !== null) void sampled?.compare(outcome.result);
        },
      };
    });
  };
}

type FoundFunction = RunnableFunction | RefusedVersion | undefined;

interface ChosenFunction extends Pick<RunVariant, "functionVersion" | "identity"> {
  readonly chosen: FoundFunction | Promise<FoundFunction>;
}

/** The function of a run, and the version that its record has: that of a version that cannot be loaded too. */
function chooseFunction(
  id: string | null,
  versions: WorkflowVersions | null,
  parts: FunctionEngineParts,
): ChosenFunction {
  if (id === null) return { chosen: undefined, functionVersion: null };
  if (versions === null || !Object.hasOwn(versions.functions, id)) {
    const chosen = parts.functions.find(id);
    return { chosen, functionVersion: chosen?.version ?? null };
  }
  const identity = newRunIdentity(parts.clock);
  const chosen = findFunction(versions, id, identity.transactionId, parts);
  const functionVersion = chosen instanceof Promise ? versions.functions[id]!.version : (chosen?.version ?? null);
  return { chosen, functionVersion, identity };
}

function isRunnable(found: FoundFunction): found is RunnableFunction {
  return found !== undefined && !(found instanceof RefusedVersion);
}

function sourcesUntil({ run }: RunContext, found: FoundFunction): number {
  const timeoutMs = isRunnable(found) ? found.timeoutMs : 0;
  return run.arrivedAt + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 10);
}

async function runOne(
  id: string,
  found: FoundFunction,
  under: RunContext,
  request: FunctionRequest,
  host: OpenHost,
  clock: Clock,
): Promise<FunctionOutcome> {
  const startedAt = clock.now();
  let result: FunctionResult | Fault;
  try {
    if (found === undefined) throw new Fault("function.unknown", { function: id });
    if (found instanceof RefusedVersion) throw found.fault;
    const text = await callFunction(found, under, request, host);
    result = readFunctionResult(text);
  } catch (thrown) {
    result = asFault(thrown, "function.collect");
    if (result.code === "function.collect")
      host.log("warn", `the result of the function could not be collected: ${nameOf(thrown)}`);
  }
  const pipes = readSteps(host);
  return { result, pipes, tookMs: Math.round(clock.now() - startedAt) };
}

async function callFunction(
  found: RunnableFunction,
  { run, config }: RunContext,
  { inputs, extra, sources }: FunctionRequest,
  host: OpenHost,
): Promise<string | null> {
  const { transactionId, organizationId, simulated, context, region } = run.intent;
  const argument = JSON.stringify({
    inputs,
    extra,
    config: { ...config, sources: withoutCredentials(sources) },
    context,
    region,
    transaction_id: transactionId,
  });
  const deadlineAt = run.arrivedAt + found.timeoutMs;
  const argumentBytes = Buffer.byteLength(argument);
  if (!run.memory.reserve(argumentBytes)) throw new Fault("function.no_room");
  return found
    .run({ organizationId, simulated, transactionId, deadlineAt, argument }, host)
    .finally(() => run.memory.releaseBytes(argumentBytes));
}

/** Only the name of an internal error is logged: its message could contain values of a caller. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : typeof thrown;
}
