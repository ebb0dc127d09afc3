import type { CallOutcome } from "./ledger-filter.ts";
import type { CallRow } from "./ports.ts";

export function outcomeOf(call: Pick<CallRow, "success" | "match">): CallOutcome {
  if (call.success === null) return "unknown";
  if (call.success === 0) return "failed";
  return call.match === 1 ? "match" : "no_match";
}
