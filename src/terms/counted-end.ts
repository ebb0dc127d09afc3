import type { FaultCode } from "./fault.ts";

/**
 * How a source call ended, for metrics. `failed`: at the vendor, or in the source's own code. `rejected`: by this
 * service, which sent nothing more. `no_credential`: rejected because no credential matches it.
 */
export const OUTCOME_LABELS = ["match", "no_match", "failed", "rejected", "no_credential"] as const;
export type OutcomeLabel = (typeof OUTCOME_LABELS)[number];

type FailureLabel = Exclude<OutcomeLabel, "match" | "no_match">;

/** The faults of calls that this service itself has rejected. Every other failure is the vendor's or the source's. */
const OWN_FAILURES: ReadonlyMap<string, FailureLabel> = new Map<FaultCode, FailureLabel>([
  ["source.credential_missing", "no_credential"],
  ["source.unknown", "rejected"],
  ["source.version_unavailable", "rejected"],
  ["source.version_unusable", "rejected"],
  ["source.region_refused", "rejected"],
  ["source.input_invalid", "rejected"],
  ["source.credential_unavailable", "rejected"],
  ["source.queue_full", "rejected"],
  ["source.no_room", "rejected"],
  ["source.breaker_open", "rejected"],
  ["source.rate_limited_here", "rejected"],
  ["source.limits_unknown", "rejected"],
  ["source.budget_used", "rejected"],
  ["source.budget_unknown", "rejected"],
  ["source.stopped", "rejected"],
  ["source.unrecorded", "rejected"],
  ["function.unknown", "rejected"],
  ["function.version_unavailable", "rejected"],
  ["function.version_unusable", "rejected"],
  ["function.overloaded", "rejected"],
  ["function.unavailable", "rejected"],
]);

/** @param code the fault code of a failed source call or function */
export function failureLabelOf(code: string): FailureLabel {
  return OWN_FAILURES.get(code) ?? "failed";
}
