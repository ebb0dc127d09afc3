import type { Clock } from "../terms/clock.ts";
import { Fault } from "../terms/fault.ts";
import { isJsonObject, readJsonExactly, type Json, type JsonObject } from "../terms/json.ts";
import { failureOf, type CallFailure } from "./failure.ts";
import { endWith, reportCall, settle, withoutOutput, type Outcome } from "./fan-out.ts";
import { planCall, type Planned } from "./call.ts";
import type { Answer, CallReport, FunctionHost, FunctionReply, Run, RunSource, SourceCatalog } from "./ports.ts";
import type { ReplyRoom, ReplyWindow } from "./reply-room.ts";

export interface HostParts {
  readonly catalog: SourceCatalog;
  readonly runSource: RunSource;
  readonly replyRoom: ReplyRoom;
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

/** A function's access to the service, and the record of its steps and calls. */
export interface OpenHost extends FunctionHost {
  /** JSON text of each step. */
  readonly pipes: ReadonlyMap<string, string>;
  /** Refuses further calls. Calls in progress are recorded as abandoned. */
  end(): readonly CallReport[];
}

/** Replaces a step for which there is no memory. */
export const STEP_NOT_KEPT = '{"success":false,"message":"the step could not be kept"}';
const TOO_LONG_NUMBERS = { field: "", problem: "contains too many numbers with more digits than a double has" };

/**
 * Connects one function run to the service: every call goes through the same engine as those of `/data`. Of a call that has
 * ended, only the report is kept: inputs and reply are released as soon as the function has the reply.
 */
export function openHost(host: HostRun, parts: HostParts): OpenHost {
  const { catalog, runSource, replyRoom, clock } = parts;
  const { run } = host;
  const pipes = new Map<string, string>();
  const slots: Slot[] = [];
  const window: ReplyWindow = {
    owner: run.caller.organizationId,
    held: run.held,
    bytes: 0,
    closed: false,
  };

  function plan(id: string, ordinal: number, startedAt: number, inputs: JsonObject): Planned {
    const source = catalog.find(id);
    const entry = Object.hasOwn(host.sources, id) ? host.sources[id] : undefined;
    const times = { startedAt, from: startedAt, notPast: host.deadlineAt };
    return { source, call: planCall(run, { id, ordinal, entry, inputs, source, ...times }) };
  }

  async function ask(id: string, inputsJson: string): Promise<FunctionReply> {
    const startedAt = clock.now();
    const ordinal = slots.length;
    let planned = plan(id, ordinal, startedAt, {});
    const slot: Slot = { left: () => endWith(planned, new Fault("source.stopped"), clock), report: null };
    slots.push(slot);
    const fails = (fault: Fault) => settled(slot, endWith(planned, fault, clock));
    const place = await replyRoom.enter(window, Buffer.byteLength(inputsJson));
    if (place === null) return fails(new Fault("source.no_room"));
    let inputs: Json;
    try {
      inputs = readJsonExactly(inputsJson);
    } catch {
      place.left();
      return fails(new Fault("source.input_invalid", TOO_LONG_NUMBERS));
    }
    if (window.closed) {
      place.left();
      return fails(new Fault("source.stopped"));
    }
    planned = plan(id, ordinal, startedAt, isJsonObject(inputs) ? inputs : {});
    const abandon = (): Outcome => endWith(planned, new Fault("source.abandoned"), clock);
    slot.left = abandon;
    const outcome = await settle(planned, runSource, clock);
    // From here on, `place` has the reservation for the memory of the reply.
    outcome.call.keepOnly(0);
    const { result } = outcome;
    if (window.closed || result instanceof Fault) {
      place.left();
      return settled(slot, outcome);
    }
    if (!place.arrived(bytesOf(result))) {
      place.left();
      return settled(slot, withoutOutput(outcome, new Fault("source.no_room_for_answer")));
    }
    return { json: settled(slot, outcome).json, taken: place.left };
  }

  /** Reports the call, unless the run has ended and has reported it already, and releases everything else. */
  function settled(slot: Slot, outcome: Outcome): FunctionReply {
    const { charged } = (slot.report ??= reportCall(outcome));
    slot.left = null;
    const { result, tookMs } = outcome;
    return unkept(
      result instanceof Fault ? failed(result, tookMs, failureOf(result, charged, outcome)) : found(result, tookMs),
    );
  }

  return {
    pipes,

    async runSource(id, inputsJson) {
      return window.closed ? unkept(failed(TOO_LATE, 0, NOTHING_SENT)) : ask(id, inputsJson);
    },

    pipe(name, json) {
      if (window.closed) return;
      if (run.held.hold(Buffer.byteLength(json))) pipes.set(name, json);
      else {
        pipes.set(name, STEP_NOT_KEPT);
        parts.log(run, host.functionId, "warn", "a recorded step is not kept: no memory is free");
      }
    },

    holds: (bytes) => run.held.hold(bytes),

    log(level, message) {
      parts.log(run, host.functionId, level, message);
    },

    end() {
      const reports = slots.map((slot) => (slot.report ??= reportCall(slot.left!())));
      replyRoom.close(window);
      return reports;
    },
  };
}

/** One call: its report or, until it has one, a function that ends the call when its run ends first. */
interface Slot {
  left: (() => Outcome) | null;
  report: CallReport | null;
}

function bytesOf({ json }: Answer): number {
  return typeof json === "string" ? Buffer.byteLength(json) : json.length;
}

function unkept(json: string): FunctionReply {
  return { json, taken: () => {} };
}

/** For a function that makes a call after it has ended. */
const TOO_LATE = new Fault("source.stopped");
const NOTHING_SENT: CallFailure = { kind: TOO_LATE.row.kind, retryable: true, charged: "no" };

/** The `SourceOutcome` of a failed call, as JSON text. */
function failed(fault: Fault, tookMs: number, failure: CallFailure): string {
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
function found(answer: Answer, tookMs: number): string {
  const output = typeof answer.json === "string" ? answer.json : answer.json.toString("utf8");
  const message = answer.match ? "Record found" : "No record found";
  return `{"success":true,"match":${answer.match},"message":"${message}","output":${output},"response_time_ms":${tookMs}}`;
}
