import { Fault, type Charged } from "../terms/fault.ts";
import type { Outcome } from "./fan-out.ts";

/** A message is one sentence. It may name a field that the caller made up, or list what an author allows. */
export const MESSAGE_CHARS_MAX = 300;
/** What an entry takes at the most: a character that JSON escapes takes six bytes. */
export const STATUS_BYTES_MAX = 6 * MESSAGE_CHARS_MAX + 200;

export interface StatusOptions {
  /** Decision 10: adds what a client may branch on to failed entries. */
  readonly failureDetails: boolean;
}

/** The status entry of one source (specification 2.5), as JSON text. */
export function statusText(outcome: Outcome, charged: Charged, options: StatusOptions): string {
  const { result, tookMs } = outcome;
  if (result instanceof Fault) {
    const failure = options.failureDetails ? `,"failure":${failureText(result, charged)}` : "";
    return `{"success":false,"message":${JSON.stringify(shortened(result.says))},"match":false,"response_time_ms":${tookMs}${failure}}`;
  }
  const message = result.match ? "Record found" : "No record found";
  return `{"success":true,"message":"${message}","match":${result.match},"response_time_ms":${tookMs}}`;
}

function failureText(fault: Fault, charged: Charged): string {
  return JSON.stringify({ kind: fault.row.kind, retryable: fault.row.retryable, charged });
}

function shortened(message: string): string {
  return message.length > MESSAGE_CHARS_MAX ? `${message.slice(0, MESSAGE_CHARS_MAX - 1)}…` : message;
}
