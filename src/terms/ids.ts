import { randomBytes } from "node:crypto";

/** Every prefix that the service creates or reads. A secret (`drt_`, `dop_`) and an identifier never share one. */
export const PREFIX = {
  transaction: "trx_",
  /** For a request that started no run. */
  request: "req_",
  organization: "org_",
  token: "tok_",
  workflow: "wfl_",
  credential: "cred_",
  key: "key_",
  budget: "bud_",
  audit: "adt_",
  operator: "opr_",
  dataFunction: "dfunc_",
  accessToken: "drt_",
  operatorToken: "dop_",
} as const;

/** `<vendor>__<source_name>`, lower snake case; the double underscore occurs once. */
export const SOURCE_ID = /^[a-z][a-z0-9]*(?:_[a-z0-9]+)*__[a-z0-9]+(?:_[a-z0-9]+)*$/;
/** The vendor of a source: the part of its id before the double underscore. */
export function vendorOf(source: string): string {
  return source.split("__", 1)[0]!;
}

/** The prefix, then a name in lower snake case. */
export const FUNCTION_ID = new RegExp(`^${PREFIX.dataFunction}[a-z0-9]+(?:_[a-z0-9]+)*$`);
/** Limit for ids of sources and functions. */
export const ID_CHARS_MAX = 128;
export const CLIENT_REQUEST_ID_CHARS_MAX = 64;
/** A caller's own id for a request: printable ASCII. */
export const CLIENT_REQUEST_ID = new RegExp(`^[ -~]{1,${CLIENT_REQUEST_ID_CHARS_MAX}}$`);
/** The trace id in a `traceparent`. */
export const TRACE_ID = /^[0-9a-f]{32}$/;

type IdKind = Exclude<keyof typeof PREFIX, "accessToken" | "operatorToken" | "dataFunction">;

/** A UUIDv7 (RFC 9562) without dashes: 32 lower-case hex digits that sort by the millisecond of their creation. */
export function uuidV7(wallMs: number): string {
  return timeInId(wallMs) + randomPart();
}

const RANDOM_BYTES = 10;
const RANDOM_DIGITS = 2 * RANDOM_BYTES;
/**
 * Random parts of ids are created this many at once, because getting random bytes costs more than the rest of an id.
 */
const AHEAD = 128;
let ahead = "";
let taken = 0;

/** The digits after the time, with the version and the variant. */
function randomPart(): string {
  if (taken === ahead.length) {
    const bytes = randomBytes(AHEAD * RANDOM_BYTES);
    for (let at = 0; at < bytes.length; at += RANDOM_BYTES) {
      bytes[at] = 0x70 | (bytes[at]! & 0x0f);
      bytes[at + 2] = 0x80 | (bytes[at + 2]! & 0x3f);
    }
    ahead = bytes.toString("hex");
    taken = 0;
  }
  taken += RANDOM_DIGITS;
  return ahead.slice(taken - RANDOM_DIGITS, taken);
}

/** The largest time that fits into the digits of an id. */
const TIME_MAX = 0xff_ff_ff_ff_ff_ff;
const TIME_DIGITS = 12;

/** A cache of the last time and its digits: many ids are created in one millisecond. */
let timeMs = Number.NaN;
let timeDigits = "";

function timeInId(wallMs: number): string {
  if (wallMs !== timeMs) {
    timeMs = wallMs;
    timeDigits = Math.min(Math.max(wallMs, 0), TIME_MAX).toString(16).padStart(TIME_DIGITS, "0");
  }
  return timeDigits;
}

/**
 * The smallest id of a kind that can be created in this millisecond. Ids of a kind sort by time, so an index on ids
 * finds times.
 */
export function firstIdAt(kind: IdKind, wallMs: number): string {
  return PREFIX[kind] + timeInId(wallMs);
}

/** The millisecond in which an id was created; `null` if it is not an id of this kind. */
export function timeOfId(kind: IdKind, id: string): number | null {
  return id.startsWith(PREFIX[kind]) ? timeOfUuid(id.slice(PREFIX[kind].length)) : null;
}

/** The millisecond in which `uuidV7` created it; `null` if it did not. */
export function timeOfUuid(uuid: string): number | null {
  const digits = uuid.slice(0, TIME_DIGITS);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : null;
}

/** Sorts after every digit of an id, in any collation of a database. */
export const AFTER_DIGITS = "z";

export const SPAN_CHARS = PREFIX.transaction.length + 6;

/** The common prefix of the transaction ids of one span of 2^24 milliseconds, some four and a half hours. */
export function spanOf(transactionId: string): string {
  return transactionId.slice(0, SPAN_CHARS);
}

/** The prefix of the next span. */
export function spanAfter(span: string): string {
  const digits = span.slice(PREFIX.transaction.length);
  const next = (Number.parseInt(digits, 16) + 1).toString(16).padStart(digits.length, "0");
  return PREFIX.transaction + next;
}

export function newId(kind: IdKind, wallMs: number): string {
  return PREFIX[kind] + uuidV7(wallMs);
}
