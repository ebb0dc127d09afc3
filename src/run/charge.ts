import type { Charged, Fault } from "../terms/fault.ts";
import type { ChargeTerms } from "./fan-out.ts";
import type { Answer, Attempt } from "./ports.ts";

/**
 * Whether the vendor has charged for a call, by what became of it. Nothing sent, nothing charged: that is the only case
 * in which a failure is surely free.
 */
export function chargeOf(result: Answer | Fault, attempts: readonly Attempt[], terms: ChargeTerms): Charged {
  if (attempts.length === 0 || terms === "free") return "no";
  if (!("json" in result)) return terms === "per_match" && result.charged === "yes" ? "unknown" : result.charged;
  return terms === "per_match" && !result.match ? "no" : "yes";
}

/** Settles every attempt of a call: earlier ones were refused or redirected, so that only the last can have been the charged one. */
export function settleAttempts(attempts: readonly Attempt[], charged: Charged): void {
  for (const [index, attempt] of attempts.entries()) {
    if (index === attempts.length - 1) attempt.charged = charged;
    else if (attempt.status !== null) attempt.charged = "no";
  }
}
