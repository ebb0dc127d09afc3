import { Fault, type Charged } from "../terms/fault.ts";
import type { Outcome } from "./fan-out.ts";

export interface StatusOptions {
  /** Decision 10: adds what a client may branch on to failed entries. */
  readonly failureDetails: boolean;
}

/** The status entry of one source (specification 2.5), as JSON text. */
export function statusText(outcome: Outcome, charged: Charged, options: StatusOptions): string {
  const { result, tookMs } = outcome;
  if (result instanceof Fault) {
    const failure = options.failureDetails ? `,"failure":${failureText(result, charged)}` : "";
    return `{"success":false,"message":${JSON.stringify(result.says)},"match":false,"response_time_ms":${tookMs}${failure}}`;
  }
  const message = result.match ? "Record found" : "No record found";
  return `{"success":true,"message":"${message}","match":${result.match},"response_time_ms":${tookMs}}`;
}

function failureText(fault: Fault, charged: Charged): string {
  return JSON.stringify({ kind: fault.row.kind, retryable: fault.row.retryable, charged });
}
