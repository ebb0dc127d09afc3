import { hash, randomBytes } from "node:crypto";
import type { PlannedCall, RunObserver, RunReport, VendorClient } from "../run/ports.ts";
import {
  type Http,
  type MeteredReply,
  type ObservedReply,
  ownBytes,
  readBody,
  type Reply,
  replyName,
} from "../sdk/http.ts";
import type { JsonObject } from "../terms/json/json.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The replies of one call with a record, or whose replies the source could not use. */
export interface CallSample {
  readonly source: string;
  readonly version: string;
  /** Identifies the inputs of the call; of no use outside this process. */
  readonly call: string;
  /** The bodies, by the path of their documents. */
  documents(): ReadonlyMap<string, unknown>;
}

export interface ReplySampler extends RunObserver, Disposable {
  /** A client whose replies are sampled: those of at most one call per second and source. */
  observe(client: VendorClient): VendorClient;
}

const SAMPLE_EVERY_MS = 1_000;
/** Samples are counted this long after their run has ended, when its answer was sent. */
const COUNT_AFTER_MS = 1_000;
/** The bytes of the replies that wait to be counted. Further samples are dropped. */
const WAITING_BYTES_MAX = 2 * 1024 * 1024;
/** Sampled calls whose run has not ended. */
const OPEN_CALLS_MAX = 1_000;
/** Bodies that no source has read are parsed up to this size. */
const PARSED_BYTES_MAX = 256 * 1024;

type SampledReply = Reply & Partial<ObservedReply & MeteredReply>;

interface SampledCall {
  readonly version: string;
  readonly inputs: JsonObject;
  readonly replies: SampledReply[];
}

/**
 * Takes samples beside the calls: a call that is not sampled costs one comparison, and a sampled one keeps references to
 * its replies until its run has ended. Everything else happens later, one sample in a tick of the event loop.
 * @param count must not throw
 */
export function sampleReplies(clock: Clock, count: (sample: CallSample) => Promise<void>): ReplySampler {
  const salt = randomBytes(16).toString("hex");
  const nextAt = new Map<string, number>();
  const open = new Map<string, SampledCall>();
  let waiting: { readonly sample: CallSample; readonly bytes: number }[] = [];
  let waitingBytes = 0;
  let stopTimer: (() => void) | undefined;

  function begin(call: PlannedCall): SampledCall {
    const sampled = { version: call.sourceVersion ?? "", inputs: call.inputs, replies: [] };
    if (open.size >= OPEN_CALLS_MAX) open.delete(open.keys().next().value!);
    open.set(keyOf(call.run.intent.transactionId, call.ordinal), sampled);
    return sampled;
  }

  function end(source: string, { version, inputs, replies }: SampledCall): void {
    const bytes = replies.reduce((sum, reply) => sum + (reply[ownBytes]?.length ?? 0), 0);
    if (replies.length === 0 || waitingBytes + bytes > WAITING_BYTES_MAX) return;
    waitingBytes += bytes;
    const call = hash("sha256", salt + JSON.stringify(inputs), "base64").slice(0, 16);
    waiting.push({ sample: { source, version, call, documents: () => documentsOf(replies) }, bytes });
    stopTimer ??= clock.after(COUNT_AFTER_MS, () => void countAll(), "loose");
  }

  async function countAll(): Promise<void> {
    for (let first = waiting.shift(); first !== undefined; first = waiting.shift()) {
      await new Promise(setImmediate);
      await count(first.sample);
      waitingBytes -= first.bytes;
    }
    stopTimer = undefined;
  }

  return {
    observe: (client) => ({
      httpFor(source, call) {
        const http = client.httpFor(source, call);
        const now = clock.now();
        if (now < (nextAt.get(call.id) ?? 0)) return http;
        nextAt.set(call.id, now + SAMPLE_EVERY_MS);
        return withReplies(http, begin(call).replies);
      },
    }),
    runEnded({ transactionId, calls }: RunReport) {
      if (open.size === 0) return;
      for (const { source, ordinal, match, fault } of calls) {
        const key = keyOf(transactionId, ordinal);
        const sampled = open.get(key);
        if (sampled === undefined) continue;
        open.delete(key);
        // A reply that the source cannot use may be one that has changed.
        if (match || fault?.code === "source.contract" || fault?.code === "source.adapter_raised") end(source, sampled);
      }
    },
    [Symbol.dispose]() {
      stopTimer?.();
      waiting = [];
      open.clear();
    },
  };
}

function keyOf(transactionId: string, ordinal: number): string {
  return `${transactionId}/${ordinal}`;
}

function withReplies(http: Http, replies: SampledReply[]): Http {
  const request: Http["request"] = async (...asked) => {
    const reply = await http.request(...asked);
    replies.push(reply);
    return reply;
  };
  return {
    request,
    get: (url, options) => request("GET", url, options),
    post: (url, options) => request("POST", url, options),
    put: (url, options) => request("PUT", url, options),
  };
}

/** The last reply of each name. Without names, as in TypeScript, the last reply that the source has read, or the last. */
function documentsOf(replies: readonly SampledReply[]): ReadonlyMap<string, unknown> {
  const named = replies.filter((reply) => reply[replyName] !== undefined);
  if (named.length > 0) {
    const bodies = named.map((reply) => [documentOf(reply[replyName]!), bodyOf(reply)] as const);
    return new Map(bodies.filter(([, body]) => body !== undefined));
  }
  const body = bodyOf(replies.findLast((reply) => reply[readBody] !== undefined) ?? replies.at(-1)!);
  return new Map(body === undefined ? [] : [["", body]]);
}

function documentOf(step: string): string {
  return step === "" ? "" : `${step}:`;
}

/** The body, also if it was passed on without being parsed; `undefined` if it is no JSON. */
function bodyOf(reply: SampledReply): unknown {
  const body = reply[readBody];
  const bytes = reply[ownBytes];
  if (body !== undefined || bytes === undefined || bytes.length > PARSED_BYTES_MAX) return body;
  try {
    return JSON.parse(String(bytes));
  } catch {
    return undefined;
  }
}
