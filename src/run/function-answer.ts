import { asFault, Fault, type FaultCode } from "../terms/fault.ts";
import type { Json, JsonObject } from "../terms/json/json.ts";
import { ANSWER_BYTES_MAX, lengthOf, toStoredForm, type EnvelopeParts } from "./envelope.ts";
import type { FunctionFailure } from "./failure.ts";
import type { FunctionResult } from "./function-result.ts";
import type { Run } from "./ports.ts";
import type { RunContext } from "./active-run.ts";

/**
 * The end of a function: its result, or the fault that replaces it, and the steps that it had recorded.
 */
export interface FunctionOutcome {
  readonly result: FunctionResult | Fault;
  readonly pipes: JsonObject;
  readonly tookMs: number;
}

export interface WrittenFunctionAnswer {
  readonly functionFault: FaultCode | null;
  readonly answer: EnvelopeParts;
}

/** The fields of a request that decide the form of the answer. */
export interface AnswerRequest {
  readonly functionId: string | null;
  readonly passthrough: boolean;
}

/** Makes the details of a failure from its fault; from `null` if the function itself reports it. */
type FailureOf = (fault: Fault | null) => FunctionFailure;

/** The fields of an answer, each with its JSON text. */
type AnswerFields = readonly (readonly [name: string, json: string | Buffer])[];

/** Bytes for the time, which is added last. */
const TIME_BYTES_MAX = 24;

/**
 * Writes the answer for the outcome of a function; the outcome is `null` if no function was named. An answer that would be
 * too large, or for which there is no memory, becomes a failure of the function. The answer for a failure always fits,
 * because its memory was reserved at the start of the run.
 */
export function writeFunctionAnswer(
  outcome: FunctionOutcome | null,
  under: RunContext,
  request: AnswerRequest,
  failureOf: FailureOf,
): WrittenFunctionAnswer {
  const { run, frameBytes: frame } = under;
  try {
    const answer = write(outcome, under, request, failureOf);
    const bytes = lengthOf(answer) + TIME_BYTES_MAX;
    if (bytes > ANSWER_BYTES_MAX)
      throw new Fault("function.contract", { problem: "the whole answer would be too large" });
    if (bytes > frame && !run.memory.reserve(bytes - frame)) throw new Fault("function.no_room");
    return { functionFault: outcome?.result instanceof Fault ? outcome.result.code : null, answer };
  } catch (thrown) {
    const result = asFault(thrown, "function.collect");
    const failed = { result, pipes: {}, tookMs: outcome?.tookMs ?? 0 };
    return { functionFault: result.code, answer: write(failed, under, request, failureOf) };
  }
}

function write(
  outcome: FunctionOutcome | null,
  { run, configText: echoed }: RunContext,
  request: AnswerRequest,
  failureOf: FailureOf,
): EnvelopeParts {
  if (request.passthrough && outcome !== null) return toParts(markSimulated(run, passthroughFields(run, outcome)));
  return toParts(envelopeFields(run, request.functionId, echoed, outcome, failureOf));
}

/** The answer in standard mode, and every answer for which no function ran. */
function envelopeFields(
  { intent, caller }: Run,
  functionId: string | null,
  config: string | Buffer,
  outcome: FunctionOutcome | null,
  failureOf: FailureOf,
): AnswerFields {
  const outputs: [string, Json][] = [];
  const status: [string, Json][] = [];
  if (outcome !== null && functionId !== null) {
    const { result, tookMs } = outcome;
    const failed = result instanceof Fault;
    const pipes = failed ? outcome.pipes : { ...outcome.pipes, ...result.pipes };
    outputs.push([functionId, { output: failed ? {} : result.output, pipes }]);
    const success = !failed && result.success;
    const failure =
      success || !caller.workflow.failureDetails ? {} : { failure: { ...failureOf(failed ? result : null) } };
    status.push([functionId, { success, message: messageOf(result), response_time_ms: tookMs, ...failure }]);
  }
  return [
    ["transaction_id", JSON.stringify(intent.transactionId)],
    ["config", config],
    ["outputs", toText(Object.fromEntries<Json>(outputs))],
    ["status", toText(Object.fromEntries<Json>(status))],
  ];
}

function messageOf(result: FunctionResult | Fault): string {
  if (result instanceof Fault) return result.says;
  return result.message ?? (result.success ? "Function completed" : "The function reports a failure");
}

/** The function's own fields at the top level; a fixed shape if it returned none. */
function passthroughFields({ intent }: Run, { result, pipes }: FunctionOutcome): AnswerFields {
  const recorded = Object.keys(pipes).length > 0;
  if (result instanceof Fault && recorded)
    return [
      ["output", "{}"],
      ["pipes", toText(pipes)],
    ];
  if (result instanceof Fault || result.fields === null) {
    return [
      ["transaction_id", JSON.stringify(intent.transactionId)],
      ["output", "{}"],
      ["pipes", "{}"],
    ];
  }
  const fields = Object.entries(result.fields)
    .filter(([name]) => name !== "response_time_ms" && !(recorded && name === "pipes"))
    .map(([name, value]) => [name, toText(value)] as const);
  return recorded ? [...fields, ["pipes", toText({ ...pipes, ...result.pipes })]] : fields;
}

/**
 * Without the envelope there is no `config.mode`, so the mark is at the top level, where it replaces the function's own
 * `mode`.
 */
function markSimulated({ intent }: Run, fields: AnswerFields): AnswerFields {
  return intent.simulated ? [...fields.filter(([name]) => name !== "mode"), ["mode", '"simulated"']] : fields;
}

function toText(value: Json): string | Buffer {
  return toStoredForm(JSON.stringify(value));
}

function toParts(fields: AnswerFields): EnvelopeParts {
  const parts: (string | Buffer)[] = [];
  let before = "{";
  for (const [name, json] of fields) {
    parts.push(`${before}${JSON.stringify(name)}:`, json);
    before = ",";
  }
  parts.push(`${before}"response_time_ms":`);
  return parts;
}
