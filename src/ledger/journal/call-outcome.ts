import type { CallRow } from "../ports.ts";

/** What became of a call: a record, an answer without one, a failure, or nobody knows. */
export type CallOutcome = "match" | "no_match" | "failed" | "unknown";

export const CALL_OUTCOMES: readonly CallOutcome[] = ["match", "no_match", "failed", "unknown"];

export function outcomeOf(call: Pick<CallRow, "success" | "match">): CallOutcome {
  if (call.success === null) return "unknown";
  if (call.success === 0) return "failed";
  return call.match === 1 ? "match" : "no_match";
}
