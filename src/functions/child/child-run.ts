import { FAILED_STEP, JSON_BYTES, JSON_DEPTH, LOG_CHARACTERS, NAME_CHARACTERS } from "../inside/bridge-limits.ts";
import type { ContractPart } from "../inside/check-contract.ts";
import type { FailedWhy, FromChild, StartRun } from "../pool/messages.ts";
import { dispose, type IsolateContext } from "./isolate-context.ts";
import { Outgoing } from "./outgoing.ts";
import type { Slots } from "./slots.ts";

/** A thread that does not leave a disposed isolate within this time counts as stuck. */
const LEAVE_WITHIN_MS = 80;
/**
 * The same limit for a run whose caller has already been answered. It is longer so that work inside V8 can finish, and
 * a process with other runs need not be replaced.
 */
const END_WITHIN_MS = 300;
/** Time for a finished run to leave its isolate before the isolate is disposed of. */
const LINGER_MS = 20;
const TOO_DEEP = `JSON nested deeper than ${JSON_DEPTH}`;

type RunEndMessage = Extract<FromChild, { readonly type: "done" | "failed" }>;
type RunEnd = RunEndMessage extends infer Kind ? (Kind extends RunEndMessage ? Omit<Kind, "stuck"> : never) : never;

export interface ChildRun {
  reply(call: number, json: string): void;
  /** Ends the run from outside, at its deadline. */
  end(): void;
}

/** Executes one run in this process, from taking an isolate to returning or disposing of it. */
export function startRun(job: StartRun, slots: Slots, send: (message: FromChild) => void, onEnd: () => void): ChildRun {
  const { id } = job;
  let context: IsolateContext | undefined;
  let settled = false;
  let answered = false;
  /** Whether something of this run is still pending, so that its isolate cannot serve another run. */
  let leavesPending = false;
  let endRequested = false;
  let alarm: NodeJS.Timeout | undefined;
  const outgoing = new Outgoing();

  function onMessage(what: string, first: unknown, second: unknown, third: unknown): void {
    // Ignore messages that the code sends after its answer or its end.
    if (answered || settled) return;
    if (what === "call") onCall(Number(first), String(second), String(third));
    else if (what === "pipe") onPipe(String(first), String(second), third);
    else if (what === "log") onLog(first === "warn" ? "warn" : "info", String(second));
    else if (what === "alarm") onAlarm(Number(first));
    else if (what === "done") onDone(first);
    else if (what === "contract") fail("contract", String(first), second === undefined ? undefined : textOf(second));
    else if (what === "raised") fail("raised", String(first));
  }

  function onCall(call: number, source: string, inputs: string): void {
    if (!outgoing.call(call, inputs) || source.length > NAME_CHARACTERS) return breach();
    if (depthWithin(inputs, JSON_DEPTH)) return send({ type: "call", id, call, source, inputs });
    outgoing.replied(call);
    void context?.enter("refuse", call, TOO_DEEP);
  }

  function onLog(level: "info" | "warn", text: string): void {
    if (!outgoing.log() || text.length > LOG_CHARACTERS) return breach();
    send({ type: "log", id, level, text });
  }

  function onAlarm(delayMs: number): void {
    if (!outgoing.alarm()) return breach();
    clearTimeout(alarm);
    alarm = setTimeout(() => {
      alarm = undefined;
      void context?.enter("wake");
    }, delayMs);
  }

  /** Ends a run whose code has bypassed the limits of the prelude. */
  function breach(): void {
    leavesPending = true;
    fail("raised", "it violated the protocol of the bridge");
  }

  function onPipe(name: string, json: string, failure: unknown): void {
    if (!outgoing.pipe(json) || name.length > NAME_CHARACTERS) return breach();
    if (!depthWithin(json, JSON_DEPTH)) send({ type: "pipe", id, name, json: FAILED_STEP, failure: TOO_DEEP });
    else send({ type: "pipe", id, name, json, ...(failure === undefined ? {} : { failure: textOf(failure) }) });
  }

  function onDone(json: unknown): void {
    if (json === null) return succeed(null);
    if (typeof json !== "string" || Buffer.byteLength(json) > JSON_BYTES)
      return fail("contract", "the answer is larger than 1 MB");
    if (!depthWithin(json, JSON_DEPTH)) return fail("contract", `the answer is nested deeper than ${JSON_DEPTH}`);
    void answer(json);
  }

  /** Checks the output. A problem with it concerns only the author, so the problem is logged and not answered. */
  async function answer(json: string): Promise<void> {
    answered = true;
    // During this check the author's code is not called again.
    leavesPending = outgoing.isWaiting || alarm !== undefined;
    clearTimeout(alarm);
    const problem = await check("output", json);
    if (problem === null) return succeed(json);
    send({
      type: "log",
      id,
      level: "warn",
      text: `its output violates its contract: ${problem}`.slice(0, LOG_CHARACTERS),
    });
    fail("contract", "the function's output breaks its contract");
  }

  /** Checks the inputs. A problem with them concerns the caller, so the answer names it. */
  async function refusesInputs(): Promise<boolean> {
    const problem = await check("inputs", job.argument);
    if (problem !== null) fail("inputs", `input ${problem}`);
    return problem !== null;
  }

  /** Never rejects: if the check is impossible, the run ends. */
  async function check(part: ContractPart, json: string): Promise<string | null> {
    try {
      return (await context?.check(part, json)) ?? null;
    } catch (thrown) {
      const text = textOf(thrown);
      if (context?.slot.isolate.isDisposed === true) failByError(text);
      else fail("contract", `the contract of its ${part} cannot be checked`, text);
      return null;
    }
  }

  function succeed(json: string | null): void {
    void settle({ type: "done", id, json });
  }

  function fail(why: FailedWhy, text: string, detail?: string): void {
    void settle({ type: "failed", id, why, text, ...(detail === undefined ? {} : { detail }) });
  }

  /** @param text of an error of the isolate */
  function failByError(text: string): void {
    fail(text.includes("memory limit") ? "memory" : "raised", text);
  }

  /**
   * Answers when the thread has left the isolate, which is nearly always at once: after the answer, nothing of the run
   * remains in this process. An isolate without pending work is reused, others are disposed of.
   */
  async function settle(answer: RunEnd): Promise<void> {
    if (settled) return;
    settled = true;
    const ruthless = leavesPending || outgoing.isWaiting || alarm !== undefined;
    clearTimeout(alarm);
    const left =
      context === undefined ||
      (await context.leave(LINGER_MS, ruthless)) ||
      (await context.leave(LEAVE_WITHIN_MS, true));
    send({ ...answer, stuck: !left } as RunEndMessage);
    onEnd();
    if (context === undefined || context.slot.isolate.isDisposed) return;
    context.release();
    // An isolate that only loaded a file is not used again.
    if (job.what === "start") slots.giveBack(context.slot);
    else dispose(context.slot.isolate);
  }

  /**
   * Handles the failure of a call into the isolate. An isolate without memory ends the run. An unhandled rejection is
   * only logged, by its class, because its text may contain inputs.
   */
  function entryFailed(thrown: unknown): void {
    if (settled) return;
    const text = textOf(thrown);
    if (context?.slot.isolate.isDisposed === true) failByError(text);
    else if (outgoing.rejection()) {
      const kind = thrown instanceof Error ? thrown.constructor.name : "no error";
      send({ type: "log", id, level: "warn", text: `a rejected promise was not handled: ${kind}` });
    }
  }

  function onIsolateLost(text: string): void {
    settled = true;
    clearTimeout(alarm);
    send({ type: "lost", id, isolate: job.isolate, text: text.slice(0, 300) });
    onEnd();
  }

  async function begin(): Promise<void> {
    try {
      context = await slots.take(job.isolate, job.bundle, job.memoryMb);
      context.slot.onLost = onIsolateLost;
      if (endRequested) return void end();
      if (await refusesInputs()) return;
      context.start(job.what, job.argument, onMessage, entryFailed);
    } catch (thrown) {
      if (!settled) failByError(textOf(thrown));
    }
  }

  async function end(): Promise<void> {
    if (context === undefined) {
      endRequested = true;
      return;
    }
    clearTimeout(alarm);
    if (settled) return;
    settled = true;
    const left = await context.leave(END_WITHIN_MS, true);
    send({ type: "ended", id, stuck: !left });
    onEnd();
  }

  void begin();
  return {
    reply: (call, json) => {
      outgoing.replied(call);
      if (!answered) void context?.enter("reply", call, json);
    },
    end: () => void end(),
  };
}

function textOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}

/** Whether the nesting of a JSON text is at most `depthMax`. Scans the text without parsing it. */
function depthWithin(json: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const code = json.charCodeAt(at);
    if (code === 0x22) {
      for (at += 1; json.charCodeAt(at) !== 0x22 && at < json.length; at += 1)
        if (json.charCodeAt(at) === 0x5c) at += 1;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > depthMax) return false;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return true;
}
