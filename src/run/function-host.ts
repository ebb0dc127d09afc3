import type { Clock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, readJsonExactly, type JsonObject } from "../terms/json/json.ts";
import { failureOf, type CallFailure } from "./failure.ts";
import { endCall, reportCall, runCall, withoutOutput, type Outcome } from "./fan-out.ts";
import { planSource, type PlannedSource } from "./call.ts";
import { findSource, type RefusedVersion } from "./find-version.ts";
import type {
  CallResult,
  CallReport,
  FunctionHost,
  FunctionReply,
  Run,
  RunnableSource,
  RunSource,
  SourceCatalog,
  VersionLoader,
} from "./ports.ts";
import type { ReplyMemoryGate, ReplyWindow } from "./reply-memory-gate.ts";

export interface HostParts {
  readonly catalog: SourceCatalog;
  readonly versions?: VersionLoader | undefined;
  readonly runSource: RunSource;
  readonly replyMemory: ReplyMemoryGate;
  readonly clock: Clock;
  readonly log: (run: Run, functionId: string, level: "debug" | "info" | "warn", message: string) => void;
}

export interface HostRun {
  readonly run: Run;
  readonly functionId: string;
  /** The request's `config.sources`: the entry of a source, if any, applies to its calls. */
  readonly sources: JsonObject;
  readonly deadlineAt: number;
}

/**
 * A function's access to the service, and the record of its steps and calls. As a catalog, it has the versions that its
 * calls use.
 */
export interface OpenHost extends FunctionHost, SourceCatalog {
  /** JSON text of each step. */
  readonly pipes: ReadonlyMap<string, string>;
  /** Refuses further calls. Calls in progress are recorded as abandoned. */
  end(): readonly CallReport[];
}

/** Replaces a step for which there is no memory. */
export const STEP_NOT_STORED = '{"success":false,"message":"the step could not be kept"}';
const TOO_LONG_NUMBERS = { field: "", problem: "contains too many numbers with more digits than a double has" };

/**
 * Connects one function run to the service: every call goes through the same engine as those of `/data`. Of a call that has
 * ended, only the report is kept: inputs and reply are released as soon as the function has the reply.
 */
export function openHost(host: HostRun, parts: HostParts): OpenHost {
  const { runSource, replyMemory, clock } = parts;
  const { run } = host;
  const pipes = new Map<string, string>();
  const slots: StepSlot[] = [];
  const window: ReplyWindow = {
    owner: run.caller.organizationId,
    memory: run.memory,
    bytes: 0,
    closed: false,
  };

  function plan(
    source: RunnableSource | RefusedVersion | undefined,
    { id, ordinal, startedAt, inputs }: StepCall,
  ): PlannedSource {
    const entry = Object.hasOwn(host.sources, id) ? host.sources[id] : undefined;
    const times = { startedAt, from: startedAt, notPast: host.deadlineAt };
    return planSource(run, { id, ordinal, entry, inputs, source, ...times });
  }

  async function ask(id: string, inputsJson: string): Promise<FunctionReply> {
    const startedAt = clock.now();
    const ordinal = slots.length;
    const asked = { id, ordinal, startedAt, inputs: {} };
    const finding = findSource(run, id, parts);
    let planned = plan(finding instanceof Promise ? undefined : finding, asked);
    const slot: StepSlot = { endCall: () => endCall(planned, new Fault("source.stopped"), clock), report: null };
    slots.push(slot);
    const fails = (fault: Fault) => settled(slot, endCall(planned, fault, clock));
    let source: RunnableSource | RefusedVersion | undefined;
    if (finding instanceof Promise) planned = plan((source = await finding), asked);
    else source = finding;
    const reservation = await replyMemory.enter(window, Buffer.byteLength(inputsJson));
    if (reservation === null) return fails(new Fault("source.no_room"));
    const inputs = readInputs(inputsJson);
    if (inputs === null || window.closed) {
      reservation.release();
      return fails(inputs === null ? new Fault("source.input_invalid", TOO_LONG_NUMBERS) : new Fault("source.stopped"));
    }
    planned = plan(source, { ...asked, inputs });
    const abandon = (): Outcome => endCall(planned, new Fault("source.abandoned"), clock);
    slot.endCall = abandon;
    const outcome = await runCall(planned, runSource, clock);
    // From here on, `reservation` has the memory of the reply.
    outcome.call.shrinkTo(0);
    const { result } = outcome;
    if (window.closed || result instanceof Fault) {
      reservation.release();
      return settled(slot, outcome);
    }
    if (!reservation.arrived(bytesOf(result))) {
      reservation.release();
      return settled(slot, withoutOutput(outcome, new Fault("source.no_room_for_answer")));
    }
    return { json: settled(slot, outcome).json, release: reservation.release };
  }

  /** Reports the call, unless the run has ended and has reported it already, and releases everything else. */
  function settled(slot: StepSlot, outcome: Outcome): FunctionReply {
    const { charged } = (slot.report ??= reportCall(outcome));
    slot.endCall = null;
    const { result, tookMs } = outcome;
    return replyWithoutStep(
      result instanceof Fault
        ? failureText(result, tookMs, failureOf(result, charged, outcome))
        : resultText(result, tookMs),
    );
  }

  return {
    pipes,

    find(id) {
      const found = findSource(run, id, parts);
      return found instanceof Promise ? undefined : found;
    },

    async runSource(id, inputsJson) {
      return window.closed ? replyWithoutStep(LATE_REPLY) : ask(id, inputsJson);
    },

    pipe(name, json) {
      if (window.closed) return;
      if (run.memory.reserve(Buffer.byteLength(json))) pipes.set(name, json);
      else {
        pipes.set(name, STEP_NOT_STORED);
        parts.log(run, host.functionId, "warn", "a recorded step is not kept: no memory is free");
      }
    },

    reserveBytes: (bytes) => run.memory.reserve(bytes),

    log(level, message) {
      parts.log(run, host.functionId, level, message);
    },

    end() {
      const reports = slots.map((slot) => (slot.report ??= reportCall(slot.endCall!())));
      replyMemory.close(window);
      return reports;
    },
  };
}

interface StepCall {
  readonly id: string;
  readonly ordinal: number;
  readonly startedAt: number;
  readonly inputs: JsonObject;
}

/** One call: its report or, until it has one, a function that ends the call when its run ends first. */
interface StepSlot {
  endCall: (() => Outcome) | null;
  report: CallReport | null;
}

/** `null` if they cannot be read. */
function readInputs(json: string): JsonObject | null {
  try {
    const inputs = readJsonExactly(json);
    return isJsonObject(inputs) ? inputs : {};
  } catch {
    return null;
  }
}

function bytesOf({ json }: CallResult): number {
  return typeof json === "string" ? Buffer.byteLength(json) : json.length;
}

function replyWithoutStep(json: string): FunctionReply {
  return { json, release: () => {} };
}

/** For a function that makes a call after it has ended. */
const TOO_LATE = new Fault("source.stopped");
const NOTHING_SENT: CallFailure = { kind: TOO_LATE.row.kind, retryable: true, charged: "no" };

/** The reply to a call that is made after the end of its run. */
export const LATE_REPLY = failureText(TOO_LATE, 0, NOTHING_SENT);

/** The `SourceOutcome` of a failed call, as JSON text. */
function failureText(fault: Fault, tookMs: number, failure: CallFailure): string {
  const { order_id: orderId } = failure;
  return JSON.stringify({
    success: false,
    match: false,
    message: fault.says,
    output: {},
    response_time_ms: tookMs,
    failure,
    ...(orderId === undefined ? {} : { order_id: orderId }),
  });
}

/** The `SourceOutcome` of a successful call, as JSON text. The output is spliced in, as in an answer. */
function resultText(answer: CallResult, tookMs: number): string {
  const output = typeof answer.json === "string" ? answer.json : answer.json.toString("utf8");
  const message = answer.match ? "Record found" : "No record found";
  return `{"success":true,"match":${answer.match},"message":"${message}","output":${output},"response_time_ms":${tookMs}}`;
}
