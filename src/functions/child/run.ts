import { FAILED_STEP, JSON_BYTES, JSON_DEPTH } from "../inside/limits.ts";
import type { FailedWhy, FromChild, StartRun } from "../messages.ts";
import { depthWithin } from "./depth.ts";
import type { Room } from "./room.ts";
import type { Slots } from "./slots.ts";
import { weighIsolate } from "./weigh.ts";

/** How long a thread may take to leave an isolate that is done with, before it counts as stuck. */
const LEAVE_WITHIN_MS = 80;
/** The same where nobody waits for the answer: what is at work inside V8 may finish, and costs the others no process. */
const END_WITHIN_MS = 300;
/** How long a run that has ended may go on before its isolate is taken from it. */
const LINGER_MS = 20;
const TOO_DEEP = `JSON nested deeper than ${JSON_DEPTH}`;

type Settled = Extract<FromChild, { readonly type: "done" | "failed" }>;
type Answer = Settled extends infer Kind ? (Kind extends Settled ? Omit<Kind, "stuck"> : never) : never;

export interface ChildRun {
  /** Resolves when the isolate has it, or will never have it. */
  reply(call: number, json: string): Promise<void> | undefined;
  /** From outside: the deadline, or memory. */
  end(): void;
  /** What it holds in bytes, with what waits to go into its isolate; `null` if its thread does not come out to answer. */
  weigh(): Promise<number | null>;
}

/** One run in this process, from taking an isolate to giving it back or throwing it away. */
export function startRun(job: StartRun, slots: Slots, send: (message: FromChild) => void, over: () => void): ChildRun {
  const { id } = job;
  let room: Room | undefined;
  let settled = false;
  let endWanted = false;
  let alarm: NodeJS.Timeout | undefined;
  const pending = new Set<number>();

  function heard(what: string, first: unknown, second: unknown, third: unknown): void {
    if (what === "call") {
      if (!depthWithin(String(third), JSON_DEPTH)) return void room?.enter("refuse", Number(first), TOO_DEEP);
      pending.add(Number(first));
      send({ type: "call", id, call: Number(first), source: String(second), inputs: String(third) });
    } else if (what === "pipe") {
      heardPipe(String(first), String(second), third);
    } else if (what === "log")
      send({ type: "log", id, level: first === "warn" ? "warn" : "info", text: String(second) });
    else if (what === "alarm") {
      clearTimeout(alarm);
      alarm = setTimeout(() => {
        alarm = undefined;
        void room?.enter("wake");
      }, Number(first));
    } else if (what === "done") done(first);
    else if (what === "contract") fail("contract", String(first), second === undefined ? undefined : textOf(second));
    else if (what === "raised") fail("raised", String(first));
  }

  function heardPipe(name: string, json: string, failure: unknown): void {
    if (!depthWithin(json, JSON_DEPTH)) send({ type: "pipe", id, name, json: FAILED_STEP, failure: TOO_DEEP });
    else send({ type: "pipe", id, name, json, ...(failure === undefined ? {} : { failure: textOf(failure) }) });
  }

  function done(json: unknown): void {
    if (json === null) return succeed(null);
    if (typeof json !== "string" || Buffer.byteLength(json) > JSON_BYTES)
      return fail("contract", "the answer is larger than 1 MB");
    if (!depthWithin(json, JSON_DEPTH)) return fail("contract", `the answer is nested deeper than ${JSON_DEPTH}`);
    succeed(json);
  }

  function succeed(json: string | null): void {
    void settle({ type: "done", id, json });
  }

  function fail(why: FailedWhy, text: string, detail?: string): void {
    void settle({ type: "failed", id, why, text, ...(detail === undefined ? {} : { detail }) });
  }

  /**
   * Answers once the thread has left the isolate, which nearly always is at once: whoever hears the answer may rely on
   * nothing of the run being left here. An isolate with nothing pending in it is kept, any other goes.
   */
  async function settle(answer: Answer): Promise<void> {
    if (settled) return;
    settled = true;
    const leftPending = pending.size > 0 || alarm !== undefined;
    clearTimeout(alarm);
    const left =
      room === undefined || (await room.leave(LINGER_MS, leftPending)) || (await room.leave(LEAVE_WITHIN_MS, true));
    send({ ...answer, stuck: !left } as Settled);
    over();
    if (room === undefined || room.slot.isolate.isDisposed) return;
    room.release();
    slots.giveBack(room.slot);
  }

  /** An entry failed: out of memory, or a rejection that nobody handled, which is told and nothing more. */
  function entryFailed(thrown: unknown): void {
    if (settled) return;
    const text = textOf(thrown);
    if (room !== undefined && room.slot.isolate.isDisposed)
      fail(text.includes("memory limit") ? "memory" : "raised", text);
    else send({ type: "log", id, level: "warn", text: `a rejected promise was not handled: ${text}` });
  }

  async function begin(): Promise<void> {
    try {
      room = await slots.take(job.isolate, job.bundle, job.memoryMb);
      room.slot.lost = (text) => {
        settled = true;
        clearTimeout(alarm);
        send({ type: "lost", id, isolate: job.isolate, text: text.slice(0, 300) });
        over();
      };
      if (endWanted) return void end();
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
      pending.delete(call);
      return room?.enter("reply", call, json);
    },
    end: () => void end(),
    weigh: async () => {
      if (room === undefined || room.slot.isolate.isDisposed) return 0;
      const held = await weighIsolate(room.slot.isolate);
      return held === null ? null : held + room.enteringBytes;
    },
  };
}

function textOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).slice(0, 300);
}
