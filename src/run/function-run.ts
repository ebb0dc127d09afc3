import { asFault, Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Clock } from "../terms/time/clock.ts";
import { withoutCredentials } from "./envelope.ts";
import { functionFailureOf } from "./failure.ts";
import { writeFunctionAnswer, type FunctionOutcome } from "./function-answer.ts";
import { openHost, type HostParts, type OpenHost } from "./function-host.ts";
import { createMisspelledInputReporter } from "./misspelled-inputs.ts";
import { readFunctionResult, readSteps, type FunctionResult } from "./function-result.ts";
import type { FunctionCatalog, RunnableFunction } from "./ports.ts";
import { ReplyMemoryGate } from "./reply-memory-gate.ts";
import { startRun, type EngineParts, type RunRequest, type StartedRun, type RunContext } from "./active-run.ts";

export interface FunctionEngineParts extends EngineParts, Omit<HostParts, "replyMemory"> {
  readonly functions: FunctionCatalog;
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
  const noteNearMisses = createMisspelledInputReporter(parts.observers);
  const hostParts: HostParts = { ...parts, replyMemory: new ReplyMemoryGate(parts.clock) };

  return function runFunction(request) {
    const { functionId: id, sources, context, caller } = request;
    const config = { ...CONFIG_DEFAULTS, ...request.config, context, organization_tuid: caller.organizationId };
    const found = id === null ? undefined : parts.functions.find(id);
    const functionVersion = found?.version ?? null;
    const kind = { kind: "func", functionId: id, functionVersion, config, ids: id === null ? [] : [id] } as const;
    return startRun(request, kind, parts, async (under) => {
      const host = openHost(
        { run: under.run, functionId: id ?? "", sources, deadlineAt: sourcesUntil(under, found) },
        hostParts,
      );
      const outcome = id === null ? null : await runOne(id, found, under, request, host, parts.clock);
      // If the engine itself failed, calls may still be in progress: `end` ends them, so they are recorded with the run.
      const calls = host.end();
      return {
        calls,
        ...writeFunctionAnswer(outcome, under, request, (fault) => functionFailureOf(fault, calls, parts.catalog)),
        // The schema of a function may accept names that it does not declare, and the answer then does not mention them.
        afterwards: () =>
          noteNearMisses(under.run.intent.transactionId, found === undefined ? [] : [found], request.inputs),
      };
    });
  };
}

function sourcesUntil({ run }: RunContext, found: RunnableFunction | undefined): number {
  const timeoutMs = found?.timeoutMs ?? 0;
  return run.arrivedAt + timeoutMs - Math.min(RESERVE_MS, timeoutMs / 10);
}

async function runOne(
  id: string,
  found: RunnableFunction | undefined,
  under: RunContext,
  request: FunctionRequest,
  host: OpenHost,
  clock: Clock,
): Promise<FunctionOutcome> {
  const startedAt = clock.now();
  let result: FunctionResult | Fault;
  try {
    if (found === undefined) throw new Fault("function.unknown", { function: id });
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
