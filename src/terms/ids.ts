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

/** How every id made in this millisecond begins, after its prefix. */
export function timeInId(wallMs: number): string {
  return Math.max(wallMs, 0).toString(16).padStart(12, "0");
}

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
