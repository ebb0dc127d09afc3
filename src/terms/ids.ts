import { randomUUID } from "node:crypto";

/** Every prefix that the service creates or reads. A secret (`drt_`, `dop_`) and an identifier never share one. */
export const PREFIX = {
  transaction: "trx_",
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

type IdKind = Exclude<keyof typeof PREFIX, "accessToken" | "operatorToken" | "dataFunction">;

/** A UUIDv7 (RFC 9562) without dashes: 32 lower-case hex digits that sort by the millisecond they were made in. */
export function uuidV7(wallMs: number): string {
  // Node caches random data for UUIDs, so taking the random digits of one is several times cheaper than asking for
  // bytes.
  const random = randomUUID();
  return timeInId(wallMs) + "7" + random.slice(15, 18) + random.slice(19, 23) + random.slice(24);
}

/** The largest time that fits into the digits of an id. */
const TIME_MAX = 0xff_ff_ff_ff_ff_ff;
const TIME_DIGITS = 12;

function timeInId(wallMs: number): string {
  return Math.min(Math.max(wallMs, 0), TIME_MAX).toString(16).padStart(TIME_DIGITS, "0");
}

/** The smallest id of a kind that can be made in this millisecond: ids of a kind sort by time, and every index has them. */
export function firstIdAt(kind: IdKind, wallMs: number): string {
  return PREFIX[kind] + timeInId(wallMs);
}

/** The millisecond in which an id was made; `null` if it is none of this kind. */
export function timeOfId(kind: IdKind, id: string): number | null {
  if (!id.startsWith(PREFIX[kind])) return null;
  const digits = id.slice(PREFIX[kind].length, PREFIX[kind].length + TIME_DIGITS);
  return /^[0-9a-f]{12}$/.test(digits) ? Number.parseInt(digits, 16) : null;
}

/** Comes after every digit of an id, in every order of letters that a database may have. */
export const AFTER_DIGITS = "z";

const SPAN_CHARS = PREFIX.transaction.length + 6;

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
