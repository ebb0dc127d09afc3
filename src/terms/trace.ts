import { randomBytes } from "node:crypto";

/** The trace of a run, from the caller's W3C Trace Context. */
export interface Trace {
  /** 32 hex digits. */
  readonly traceId: string;
  /** The caller's own span, 16 hex digits. */
  readonly parentId: string;
  /** The caller's flags, two hex digits, passed on unchanged. */
  readonly flags: string;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** `null` for an invalid field, which is never a reason to refuse a request. */
export function readTraceparent(field: string | readonly string[] | undefined): Trace | null {
  if (typeof field !== "string" || field.length > 128) return null;
  const match = TRACEPARENT.exec(field);
  // Version 00 has four parts. A later version may have more, but the first four have the same meaning.
  if (match === null || (field.startsWith("00") && match[4] !== undefined)) return null;
  return { traceId: match[1]!, parentId: match[2]!, flags: match[3]! };
}

/** The field for one request to a vendor, which is a separate span. `spanId`: 16 hex digits. */
export function writeTraceparent({ traceId, flags }: Omit<Trace, "parentId">, spanId: string): string {
  return `00-${traceId}-${spanId}-${flags}`;
}

/** 16 hex digits, not all of them 0. */
export function newSpanId(): string {
  const bytes = randomBytes(8);
  bytes[0] ||= 1;
  return bytes.toString("hex");
}
