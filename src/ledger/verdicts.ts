import type { Charged } from "../terms/fault.ts";
import { CALL_OUTCOMES, outcomeOf, type CallOutcome } from "./call-outcome.ts";
import type { CallRow } from "./ports.ts";

const CHARGES: readonly Charged[] = ["no", "yes", "unknown"];

/**
 * How the calls of a run came out, in one number: a bit for each pair of outcome and charge that one of them had. A list
 * by either reads it from an index, and looks at no call.
 */
export function verdictsOf(calls: readonly Pick<CallRow, "success" | "match" | "charged">[]): number {
  let verdicts = 0;
  for (const call of calls) verdicts |= bitOf(outcomeOf(call), call.charged);
  return verdicts;
}

/** The verdicts that a filter asks for; a run is meant when it has one of them. */
export function verdictMask({
  outcome,
  charged,
}: {
  readonly outcome?: CallOutcome;
  readonly charged?: Charged;
}): number {
  let mask = 0;
  for (const one of outcome === undefined ? CALL_OUTCOMES : [outcome])
    for (const charge of charged === undefined ? CHARGES : [charged]) mask |= bitOf(one, charge);
  return mask;
}

function bitOf(outcome: CallOutcome, charged: Charged): number {
  return 1 << (CALL_OUTCOMES.indexOf(outcome) * CHARGES.length + CHARGES.indexOf(charged));
}
