import { cut, jsonBytes, NativePromise, stringify, textOf } from "./intrinsics.ts";
import {
  CALLS_AT_ONCE,
  CALLS_BYTES,
  CALLS_BYTES_AT_ONCE,
  CALLS_MAX,
  ERROR_CHARACTERS,
  FAILED_STEP,
  JSON_BYTES,
  LOG_CHARACTERS,
  LOGS_MAX,
  NAME_CHARACTERS,
  PIPES_MAX,
} from "./bridge-limits.ts";
import { parseExactly } from "./parse-exactly.ts";

/** Sends texts and numbers out of the isolate. The author's code must never get a reference to it. */
export type Post = (what: string, first?: string | number | null, second?: string, third?: string) => void;

export interface InsideLog {
  info(message: unknown, fields?: unknown): void;
  warn(message: unknown, fields?: unknown): void;
}

export interface Bridge {
  readonly run: (source: unknown, inputs?: unknown) => Promise<unknown>;
  readonly pipe: (name: unknown, step: unknown) => Promise<unknown>;
  readonly log: InsideLog;
  reply(call: number, json: string): void;
  /** The call was refused and not made. */
  refuse(call: number, reason: string): void;
  /** Ends the run. Only the first call counts, and all later messages are dropped. */
  end(what: string, first: string | null, second?: string): void;
  readonly raise: (thrown: unknown) => void;
}

interface PendingCall {
  readonly bytes: number;
  readonly resolve: (answer: CallAnswer) => void;
}

interface Queued {
  readonly bytes: number;
  readonly resolve: (value?: undefined) => void;
}

interface CallAnswer {
  readonly json: string;
  readonly reason: string | undefined;
}

/**
 * The functions through which the author's code sends anything out. Each enforces its limits here. Only primitive
 * values reach `post`.
 */
export function createBridge(post: Post): Bridge {
  let ended = false;
  let calls = 0;
  let callBytes = 0;
  let activeCalls = 0;
  let activeBytes = 0;
  let logs = 0;
  let pipes = 0;
  let pipeBytes = 0;
  // Objects without a prototype: a setter on `Object.prototype` cannot see what is stored here.
  const waiting: Record<number, PendingCall | undefined> = { __proto__: null } as never;
  const queue: Record<number, Queued | undefined> = { __proto__: null } as never;
  let queueHead = 0;
  let queueTail = 0;

  async function run(source: unknown, inputs: unknown = {}): Promise<unknown> {
    if (ended) throw new Error("the run has ended");
    if (typeof source !== "string" || source.length > NAME_CHARACTERS)
      throw new TypeError("run(source, inputs): source must be the identifier of a source");
    const json = stringify(inputs) as string | undefined;
    if (json === undefined || json[0] !== "{") throw new TypeError("run(source, inputs): inputs must be an object");
    const bytes = jsonBytes(json, JSON_BYTES);
    if (bytes > JSON_BYTES) throw new RangeError("run(source, inputs): inputs are larger than 1 MB");
    calls += 1;
    if (calls > CALLS_MAX) throw new Error("run(source, inputs): a run may make at most 100 calls");
    callBytes += bytes;
    if (callBytes > CALLS_BYTES)
      throw new RangeError("run(source, inputs): the inputs of all calls are larger than 16 MB");
    const call = calls;
    if (queueHead === queueTail && mayStart(bytes)) countIn(bytes);
    else {
      await new NativePromise<undefined>((resolve) => {
        queue[queueTail++] = { __proto__: null, bytes, resolve } as Queued;
      });
    }
    const answer = await new NativePromise<CallAnswer>((resolve) => {
      waiting[call] = { __proto__: null, bytes, resolve } as PendingCall;
      if (!ended) post("call", call, source, json);
    });
    if (answer.reason !== undefined) throw new RangeError(answer.reason);
    return parseExactly(answer.json);
  }

  function mayStart(bytes: number): boolean {
    return activeCalls < CALLS_AT_ONCE && activeBytes + bytes <= CALLS_BYTES_AT_ONCE;
  }

  function countIn(bytes: number): void {
    activeCalls += 1;
    activeBytes += bytes;
  }

  function settle(call: number, answer: CallAnswer): void {
    const settled = waiting[call];
    if (settled === undefined) return;
    delete waiting[call];
    activeCalls -= 1;
    activeBytes -= settled.bytes;
    for (let next = queue[queueHead]; next !== undefined && mayStart(next.bytes); next = queue[queueHead]) {
      delete queue[queueHead];
      queueHead += 1;
      countIn(next.bytes);
      next.resolve();
    }
    settled.resolve(answer);
  }

  async function pipe(name: unknown, step: unknown): Promise<unknown> {
    if (typeof name !== "string" || name === "" || name.length > NAME_CHARACTERS)
      throw new TypeError("pipe(name, step): name must be a short string");
    if (typeof step !== "function") throw new TypeError("pipe(name, step): step must be a function");
    pipes += 1;
    if (pipes > PIPES_MAX) throw new Error("pipe(name, step): a run may record at most 100 steps");
    let value: unknown;
    let json: string | undefined;
    let bytes: number;
    try {
      value = await (step as () => unknown)();
      json = value === undefined ? "null" : stringify(value);
      if (json === undefined) json = "null";
      bytes = jsonBytes(json, JSON_BYTES);
      if (pipeBytes + bytes > JSON_BYTES) throw new RangeError("the recorded steps are larger than 1 MB");
    } catch (thrown) {
      if (!ended) post("pipe", name, FAILED_STEP, textOf(thrown, ERROR_CHARACTERS));
      throw thrown;
    }
    pipeBytes += bytes;
    if (!ended) post("pipe", name, json);
    return value;
  }

  function write(level: "info" | "warn", message: unknown, fields: unknown): void {
    if (ended || logs > LOGS_MAX) return;
    logs += 1;
    if (logs > LOGS_MAX) return post("log", "warn", "further messages of this run are dropped");
    let text = typeof message === "string" ? message : textOf(message, LOG_CHARACTERS);
    if (fields !== undefined) {
      try {
        text = `${cut(text, LOG_CHARACTERS)} ${cut(stringify(fields) ?? "", LOG_CHARACTERS)}`;
      } catch {
        text = `${cut(text, LOG_CHARACTERS)} (fields that are not JSON)`;
      }
    }
    post("log", level, cut(text, LOG_CHARACTERS));
  }

  function end(what: string, first: string | null, second?: string): void {
    if (ended) return;
    ended = true;
    post(what, first, second);
  }

  return {
    run,
    pipe,
    log: {
      info: (message, fields) => write("info", message, fields),
      warn: (message, fields) => write("warn", message, fields),
    },
    reply: (call, json) => settle(call, { __proto__: null, json, reason: undefined } as CallAnswer),
    refuse: (call, reason) => settle(call, { __proto__: null, json: "", reason } as CallAnswer),
    end,
    raise: (thrown) => {
      if (!ended) end("raised", textOf(thrown, ERROR_CHARACTERS));
    },
  };
}
