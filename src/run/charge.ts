import { Fault, type Charged } from "../terms/fault.ts";
import type { ChargeTerms } from "./fan-out.ts";
import type { Answer, Attempt } from "./ports.ts";

/**
 * Whether the vendor has charged for a call, by what became of it. Nothing sent but what is
 * free by itself, nothing charged.
 */
export function chargeOf(
  result: Pick<Answer, "match"> | Fault,
  attempts: readonly Attempt[],
  terms: ChargeTerms,
): Charged {
  if (terms === "free" || attempts.every(({ charged }) => charged === "no")) return "no";
  if (!(result instanceof Fault)) return terms === "per_match" && !result.match ? "no" : "yes";
  if (terms === "per_match" && result.charged === "yes") return "unknown";
  // The refusal of one request says nothing of an answer that another one brought, or may still bring.
  const others = attempts.filter(({ status }, index) => status === null || index < attempts.length - 1);
  return result.charged === "no" && others.some(mayBeCharged) ? "unknown" : result.charged;
}

/** Settles every attempt of a call. Its charge is that of the last one; earlier ones that were refused or redirected cost nothing. */
export function settleAttempts(attempts: readonly Attempt[], charged: Charged, terms: ChargeTerms): void {
  for (const [index, attempt] of attempts.entries()) {
    if (index === attempts.length - 1) attempt.charged = charged;
    else attempt.charged = terms !== "free" && mayBeCharged(attempt) ? "unknown" : "no";
  }
}

/** Of a request that another one followed: what was answered may be on the invoice, unless it was known to be free. */
function mayBeCharged({ status, charged }: Attempt): boolean {
  return charged !== "no" && (status === null || (status >= 200 && status < 300));
}
