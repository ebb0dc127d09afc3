import { FAILED_STEP, JSON_BYTES, JSON_DEPTH, LOG_CHARACTERS, NAME_CHARACTERS } from "../inside/limits.ts";
import type { ContractPart } from "../inside/check-contract.ts";
import type { FailedWhy, FromChild, StartRun } from "../pool/messages.ts";
import { dispose } from "./dispose.ts";
import { Outgoing } from "./outgoing.ts";
import type { Room } from "./room.ts";
import type { Slots } from "./slots.ts";

/** How long a thread may take to leave an isolate that was ended, before it counts as stuck. */
const LEAVE_WITHIN_MS = 80;
/**
 * The same if nobody waits for the answer: work inside V8 may finish, so that a process with other runs need not be
 * replaced.
 */
const END_WITHIN_MS = 300;
/** How long a run that has ended may go on before its isolate is disposed of. */
const LINGER_MS = 20;
const TOO_DEEP = `JSON nested deeper than ${JSON_DEPTH}`;

type Settled = Extract<FromChild, { readonly type: "done" | "failed" }>;
type Answer = Settled extends infer Kind ? (Kind extends Settled ? Omit<Kind, "stuck"> : never) : never;

export interface ChildRun {
  reply(call: number, json: string): void;
  /** Called from outside: the deadline has passed. */
  end(): void;
}

/** One run in this process, from taking an isolate to returning or disposing of it. */
export function startRun(job: StartRun, slots: Slots, send: (message: FromChild) => void, over: () => void): ChildRun {
  const { id } = job;
  let room: Room | undefined;
  let settled = false;
  let answered = false;
  /** Whether its isolate cannot serve another run, because something of this one is still pending. */
  let leavesPending = false;
  let endWanted = false;
  let alarm: NodeJS.Timeout | undefined;
  const outgoing = new Outgoing();

  function heard(what: string, first: unknown, second: unknown, third: unknown): void {
    // What it sends after its answer or its end is ignored.
    if (answered || settled) return;
    if (what === "call") heardCall(Number(first), String(second), String(third));
    else if (what === "pipe") heardPipe(String(first), String(second), third);
    else if (what === "log") heardLog(first === "warn" ? "warn" : "info", String(second));
    else if (what === "alarm") heardAlarm(Number(first));
    else if (what === "done") done(first);
    else if (what === "contract") fail("contract", String(first), second === undefined ? undefined : textOf(second));
    else if (what === "raised") fail("raised", String(first));
  }

  function heardCall(call: number, source: string, inputs: string): void {
    if (!outgoing.call(call, inputs) || source.length > NAME_CHARACTERS) return breach();
    if (depthWithin(inputs, JSON_DEPTH)) return send({ type: "call", id, call, source, inputs });
    outgoing.replied(call);
    void room?.enter("refuse", call, TOO_DEEP);
  }

  function heardLog(level: "info" | "warn", text: string): void {
    if (!outgoing.log() || text.length > LOG_CHARACTERS) return breach();
    send({ type: "log", id, level, text });
  }

  function heardAlarm(delayMs: number): void {
    if (!outgoing.alarm()) return breach();
    clearTimeout(alarm);
    alarm = setTimeout(() => {
      alarm = undefined;
      void room?.enter("wake");
    }, delayMs);
  }

  /** Called only if the author's code has bypassed the limits of the prelude. */
  function breach(): void {
    leavesPending = true;
    fail("raised", "it broke the rules of the bridge");
  }

  function heardPipe(name: string, json: string, failure: unknown): void {
    if (!outgoing.pipe(json) || name.length > NAME_CHARACTERS) return breach();
    if (!depthWithin(json, JSON_DEPTH)) send({ type: "pipe", id, name, json: FAILED_STEP, failure: TOO_DEEP });
    else send({ type: "pipe", id, name, json, ...(failure === undefined ? {} : { failure: textOf(failure) }) });
  }

  function done(json: unknown): void {
    if (json === null) return succeed(null);
    if (typeof json !== "string" || Buffer.byteLength(json) > JSON_BYTES)
      return fail("contract", "the answer is larger than 1 MB");
    if (!depthWithin(json, JSON_DEPTH)) return fail("contract", `the answer is nested deeper than ${JSON_DEPTH}`);
    void answer(json);
  }

  /** What is wrong with an output concerns only the author, so it is logged. */
  async function answer(json: string): Promise<void> {
    answered = true;
    // While the answer is checked, the author's code is not called again.
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

  /** What is wrong with inputs concerns the caller, so the problem is named. */
  async function refusesInputs(): Promise<boolean> {
    const problem = await check("inputs", job.argument);
    if (problem !== null) fail("inputs", `input ${problem}`);
    return problem !== null;
  }

  /** Never rejects: if the check is impossible, the run ends. */
  async function check(part: ContractPart, json: string): Promise<string | null> {
    try {
      return (await room?.check(part, json)) ?? null;
    } catch (thrown) {
      const text = textOf(thrown);
      if (room?.slot.isolate.isDisposed === true) fail(text.includes("memory limit") ? "memory" : "raised", text);
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

  /**
   * Answers once the thread has left the isolate, which is nearly always at once: after the answer, nothing of the run
   * is left here. An isolate without pending work is kept, all others are disposed of.
   */
  async function settle(answer: Answer): Promise<void> {
    if (settled) return;
    settled = true;
    const ruthless = leavesPending || outgoing.isWaiting || alarm !== undefined;
    clearTimeout(alarm);
    const left =
      room === undefined || (await room.leave(LINGER_MS, ruthless)) || (await room.leave(LEAVE_WITHIN_MS, true));
    send({ ...answer, stuck: !left } as Settled);
    over();
    if (room === undefined || room.slot.isolate.isDisposed) return;
    room.release();
    // An isolate that loaded a file is not needed again.
    if (job.what === "start") slots.giveBack(room.slot);
    else dispose(room.slot.isolate);
  }

  /**
   * A call into the isolate failed: out of memory, or a rejection that nobody handled, which is only logged. Its text
   * may contain inputs, so only its kind is.
   */
  function entryFailed(thrown: unknown): void {
    if (settled) return;
    const text = textOf(thrown);
    if (room !== undefined && room.slot.isolate.isDisposed)
      fail(text.includes("memory limit") ? "memory" : "raised", text);
    else if (outgoing.rejection()) {
      const kind = thrown instanceof Error ? thrown.constructor.name : "no error";
      send({ type: "log", id, level: "warn", text: `a rejected promise was not handled: ${kind}` });
    }
  }

  function lost(text: string): void {
    settled = true;
    clearTimeout(alarm);
    send({ type: "lost", id, isolate: job.isolate, text: text.slice(0, 300) });
    over();
  }

  async function begin(): Promise<void> {
    try {
      room = await slots.take(job.isolate, job.bundle, job.memoryMb);
      room.slot.lost = lost;
      if (endWanted) return void end();
      if (await refusesInputs()) return;
      room.start(job.what, job.argument, heard, entryFailed);
    } catch (thrown) {
      if (!settled) fail(textOf(thrown).includes("memory limit") ? "memory" : "raised", textOf(thrown));
    }
  }

  async function end(): Promise<void> {
    if (room === undefined) {
      endWanted = true;
      return;
    }
    clearTimeout(alarm);
    if (settled) return;
    settled = true;
    const left = await room.leave(END_WITHIN_MS, true);
    send({ type: "ended", id, stuck: !left });
    over();
  }

  void begin();
  return {
    reply: (call, json) => {
      outgoing.replied(call);
      if (!answered) void room?.enter("reply", call, json);
    },
    end: () => void end(),
  };
}

function textOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}

/** Whether a JSON text is nested at most this deep. Reads the text once and builds nothing. */
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
