import type { MemoryReservation } from "../terms/concurrency/byte-budget.ts";
import type { Caller } from "../terms/caller.ts";
import { Fault, type Charged } from "../terms/fault.ts";
import { ID_CHARS_MAX } from "../terms/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../terms/json/json.ts";
import { ORDER_ID_CHARS_MAX } from "./call.ts";
import { failureOf, type FailedCall } from "./failure.ts";
import type { CallResult } from "./ports.ts";

/** One entry of `outputs` and `status`. */
export interface EnvelopeEntry {
  readonly id: string;
  /** JSON text of one object. A Buffer holds a vendor's own bytes. */
  readonly output: string | Buffer;
  readonly status: string;
}

/** The largest whole answer; above it, the largest outputs fail one by one. */
export const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
/**
 * The most memory that one run may use besides its body: its answer, and the same amount for requests that are being
 * sent and replies that are being read.
 */
export const RUN_BYTES_MAX = 2 * ANSWER_BYTES_MAX;

/**
 * The longest message. A message is one sentence, but it can contain a name that the caller chose, or values of an
 * author.
 */
export const MESSAGE_CHARS_MAX = 300;
/** The largest status entry: a character that JSON escapes takes six bytes. */
const STATUS_BYTES_MAX = 6 * MESSAGE_CHARS_MAX + 240 + 2 * ORDER_ID_CHARS_MAX + ID_CHARS_MAX;

/** Bytes of the transaction id, the names of the fields and the time. */
const FIXED_BYTES = 256;

/** The most bytes that an answer takes besides its outputs. They are known before any call, so memory can be reserved. */
function frameBytes(config: string | Buffer, ids: readonly string[]): number {
  let bytes = FIXED_BYTES + byteLength(config);
  // An id occurs in `outputs` and in `status`, with separators.
  for (const id of ids) bytes += 2 * Buffer.byteLength(JSON.stringify(id)) + 4 + STATUS_BYTES_MAX;
  return bytes;
}

/**
 * Reserves the memory of an answer without its outputs for the caller's organization, and returns its size in bytes.
 * @throws Fault if there is not enough memory, or if none would be left for outputs
 */
export function reserveFrame(
  memory: MemoryReservation,
  caller: Caller,
  config: string | Buffer,
  ids: readonly string[],
): number {
  const bytes = frameBytes(config, ids);
  if (bytes > ANSWER_BYTES_MAX / 2) throw new Fault("request.invalid", {}, { problems: [CONFIG_TOO_LARGE] });
  if (!memory.transferTo(caller.organizationId) || !memory.reserve(bytes)) throw new Fault("request.overloaded");
  return bytes;
}

const CONFIG_TOO_LARGE = { path: "/config", message: "is too large to be echoed" };

/**
 * The default envelope as the bytes of the answer, without its last field: `response_time_ms` is known only after the
 * ledger has recorded the run. Outputs are spliced in, never parsed or serialised again.
 */
export function toEnvelope(
  transactionId: string,
  config: string | Buffer,
  entries: readonly EnvelopeEntry[],
): EnvelopeParts {
  const parts: (string | Buffer)[] = [];
  let text = `{"transaction_id":"${transactionId}","config":`;
  const add = (part: string | Buffer) => {
    if (typeof part === "string") text += part;
    else {
      parts.push(text, part);
      text = "";
    }
  };
  add(config);
  text += `,"outputs":{`;
  let statuses = "";
  let separator = "";
  for (const { id, output, status } of entries) {
    const key = JSON.stringify(id);
    text += `${separator}${key}:`;
    add(output);
    statuses += `${separator}${key}:${status}`;
    separator = ",";
  }
  parts.push(`${text}},"status":{${statuses}},"response_time_ms":`);
  return parts;
}

export type EnvelopeParts = readonly (string | Buffer)[];

/** The total length of an answer's parts, in bytes. */
export function lengthOf(parts: EnvelopeParts): number {
  return parts.reduce((sum, part) => sum + byteLength(part), 0);
}

/**
 * Bytes of a vendor are written without copying if there are at least this many: a separate write costs less than a copy
 * that also has to be garbage collected.
 */
const PIECE_BYTES_MIN = 16 * 1024;

/** Completes an answer with the total time. Small parts are joined. */
export function completeAnswer(parts: EnvelopeParts, responseTimeMs: number): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let small: (string | Buffer)[] = [];
  for (const part of [...parts, `${responseTimeMs}}`]) {
    if (typeof part === "string" || part.length < PIECE_BYTES_MIN) small.push(part);
    else {
      pieces.push(joined(small), part);
      small = [];
    }
  }
  return [...pieces, joined(small)];
}

function joined(parts: EnvelopeParts): Buffer {
  const bytes = Buffer.allocUnsafe(lengthOf(parts));
  let at = 0;
  for (const part of parts) at += typeof part === "string" ? bytes.write(part, at) : part.copy(bytes, at);
  return bytes;
}

/**
 * The `config` that is echoed: the request's own with the default context. It is built only from the request, never
 * from the plan, so it cannot contain a stored credential.
 */
export function echoConfig(config: JsonObject, caller: Caller): JsonObject {
  const { workflow } = caller;
  const echo: Record<string, unknown> = { ...config };
  if (workflow.maskCredentials && isJsonObject(echo["sources"])) echo["sources"] = maskCredentials(echo["sources"]);
  // `mode` is the only field of `config` that the service itself sets on /data: a caller must not be able to mark an answer
  // as simulated, or as real.
  if (workflow.simulated) echo["mode"] = "simulated";
  else delete echo["mode"];
  return echo as JsonObject;
}

function maskCredentials(sources: JsonObject): JsonObject {
  return mapEntries(sources, (entry) => {
    if (!isJsonObject(entry) || !Object.hasOwn(entry, "credentials") || !isJsonObject(entry["credentials"]))
      return entry;
    return { ...entry, credentials: mapEntries(entry["credentials"], () => "***") };
  });
}

/** The entries of `sources` without credentials, for functions. */
export function withoutCredentials(sources: JsonObject): JsonObject {
  return mapEntries(sources, (entry) => {
    if (!isJsonObject(entry)) return entry;
    return Object.fromEntries<Json>(Object.entries(entry).filter(([name]) => name !== "credentials"));
  });
}

/** `Object.fromEntries` defines own properties, so a source called `__proto__` is kept. */
function mapEntries(object: JsonObject, change: (value: Json) => Json): JsonObject {
  return Object.fromEntries<Json>(Object.entries(object).map(([name, value]) => [name, change(value)]));
}

// ---- JSON as it is kept ---------------------------------------------------------------------------------------------

/**
 * Text up to this many UTF-16 units stays text. Longer text is kept as the bytes that will be sent, because a string
 * may take up to twice as much memory.
 */
const TEXT_UNITS_MAX = 64 * 1024;

/** Converts JSON to a form that takes as much memory as is reserved for it. */
export function toStoredForm(json: string | Buffer): string | Buffer {
  return typeof json === "string" && json.length > TEXT_UNITS_MAX ? Buffer.from(json) : json;
}

export function byteLength(json: string | Buffer): number {
  return typeof json === "string" ? Buffer.byteLength(json) : json.length;
}

// ---- status ---------------------------------------------------------------------------------------------------------

interface FinishedCall extends FailedCall {
  readonly result: CallResult | Fault;
  readonly tookMs: number;
}

interface StatusOptions {
  /** Whether failed entries have the details on which a client may branch. */
  readonly failureDetails: boolean;
}

/** The status entry of one source, as JSON text. */
export function statusText(ended: FinishedCall, charged: Charged, options: StatusOptions): string {
  const { result, tookMs } = ended;
  if (result instanceof Fault) {
    const failure = options.failureDetails ? `,"failure":${JSON.stringify(failureOf(result, charged, ended))}` : "";
    return `{"success":false,"message":${JSON.stringify(shortened(result.says))},"match":false,"response_time_ms":${tookMs}${failure}}`;
  }
  const message = result.match ? "Record found" : "No record found";
  return `{"success":true,"message":"${message}","match":${result.match},"response_time_ms":${tookMs}}`;
}

function shortened(message: string): string {
  return message.length > MESSAGE_CHARS_MAX ? `${message.slice(0, MESSAGE_CHARS_MAX - 1)}…` : message;
}
