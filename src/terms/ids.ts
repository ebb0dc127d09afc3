import { randomBytes } from "node:crypto";

/** Every prefix that the service creates or reads. A secret (`drt_`, `dop_`) and an identifier never share one. */
export const PREFIX = {
  transaction: "trx_",
  /** Of a request that started no run. */
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
/** A data function's name in lower snake case, after the prefix. */
export const FUNCTION_ID = new RegExp(`^${PREFIX.dataFunction}[a-z0-9]+(?:_[a-z0-9]+)*$`);
/** For sources and functions. */
export const ID_CHARS_MAX = 128;
export const CLIENT_REQUEST_ID_CHARS_MAX = 64;
/** A caller's own id for a request: printable ASCII. */
export const CLIENT_REQUEST_ID = new RegExp(`^[ -~]{1,${CLIENT_REQUEST_ID_CHARS_MAX}}$`);
/** In a `traceparent`. */
export const TRACE_ID = /^[0-9a-f]{32}$/;

type IdKind = Exclude<keyof typeof PREFIX, "accessToken" | "operatorToken" | "dataFunction">;

/** A UUIDv7 (RFC 9562) without dashes: 32 lower-case hex digits that sort by the millisecond they were made in. */
export function uuidV7(wallMs: number): string {
  return timeInId(wallMs) + randomPart();
}

const RANDOM_BYTES = 10;
const RANDOM_DIGITS = 2 * RANDOM_BYTES;
/** The random parts of so many ids are made at once, because asking for random bytes costs more than all else of an id. */
const AHEAD = 128;
let ahead = "";
let taken = 0;

/** What follows the time, with the version and the variant. */
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

/** The last time that was written, and its digits: many ids are made in one millisecond. */
let timeMs = Number.NaN;
let timeDigits = "";

function timeInId(wallMs: number): string {
  if (wallMs !== timeMs) {
    timeMs = wallMs;
    timeDigits = Math.min(Math.max(wallMs, 0), TIME_MAX).toString(16).padStart(TIME_DIGITS, "0");
  }
  return timeDigits;
}

/** The smallest id of a kind that can be made in this millisecond: ids of a kind sort by time, and every index has them. */
export function firstIdAt(kind: IdKind, wallMs: number): string {
  return PREFIX[kind] + timeInId(wallMs);
}

/** The millisecond in which an id was made; `null` if it is none of this kind. */
export function timeOfId(kind: IdKind, id: string): number | null {
  return id.startsWith(PREFIX[kind]) ? timeOfUuid(id.slice(PREFIX[kind].length)) : null;
}

/** The millisecond in which `uuidV7` made it; `null` if it did not. */
export function timeOfUuid(uuid: string): number | null {
  const digits = uuid.slice(0, TIME_DIGITS);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : null;
}

/** Comes after every digit of an id, in every order of letters that a database may have. */
export const AFTER_DIGITS = "z";

export const SPAN_CHARS = PREFIX.transaction.length + 6;

/** The common beginning of the transaction ids of one span of 2^24 milliseconds, some four and a half hours. */
export function spanOf(transactionId: string): string {
  return transactionId.slice(0, SPAN_CHARS);
}

/** The next span. */
export function spanAfter(span: string): string {
  const digits = span.slice(PREFIX.transaction.length);
  const next = (Number.parseInt(digits, 16) + 1).toString(16).padStart(digits.length, "0");
  return PREFIX.transaction + next;
}

export function newId(kind: IdKind, wallMs: number): string {
  return PREFIX[kind] + uuidV7(wallMs);
}
