import type { Charged } from "../../terms/fault.ts";
import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";

/** What became of a call: a record, an answer without one, a failure, or nobody knows. */
export type CallOutcome = "match" | "no_match" | "failed" | "unknown";

export const CALL_OUTCOMES: readonly CallOutcome[] = ["match", "no_match", "failed", "unknown"];

export function outcomeOf(call: Pick<CallRow, "success" | "match">): CallOutcome {
  if (call.success === null) return "unknown";
  if (call.success === 0) return "failed";
  return call.match === 1 ? "match" : "no_match";
}

/*
 * What lists ask of calls and their requests, in bits, so that it is read from an index and no call is looked at.
 */

const OF_CHARGE: { readonly [charged in Charged]: number } = { no: 1, yes: 2, unknown: 4 };
const NO_REQUEST = 8;
const CHARGE_BITS = 4;
const EVERY_CHARGE = 15;

/** A call of unknown charge that has sent no request of ours: somebody has to settle the call itself. */
export const UNKNOWN_CALL = OF_CHARGE.unknown | NO_REQUEST;

/** What the requests of a call were charged: a bit for each charge that one of them has, and one for a call that has none. */
export function chargesBits(charged: Charged, requests: readonly Charged[]): number {
  if (requests.length === 0) return charged === "unknown" ? UNKNOWN_CALL : NO_REQUEST;
  return requests.reduce((bits, one) => bits | (OF_CHARGE[one] ?? OF_CHARGE.unknown), 0);
}

/** Whether one of those charges is known to nobody: what `unsettledOf` would find. */
export function hasUnknown(charges: number): boolean {
  return (charges & OF_CHARGE.unknown) !== 0;
}

/** Those bits of all calls of a run, in four groups by how the call came out. */
export function verdictsOf(calls: readonly Pick<CallRow, "success" | "match" | "charges">[]): number {
  return calls.reduce((verdicts, call) => verdicts | (call.charges << shiftOf(outcomeOf(call))), 0);
}

/** All that `charges` of a call can be that has such a charge: few values, so that an index can be asked for them. */
export function chargesWith(charged: Charged): readonly number[] {
  return Array.from({ length: EVERY_CHARGE }, (_, at) => at + 1).filter((charges) => charges & OF_CHARGE[charged]);
}

/** The verdicts that a filter asks for; a run is meant when it has one of them. */
export function verdictMask({
  outcome,
  charged,
}: {
  readonly outcome?: CallOutcome;
  readonly charged?: Charged;
}): number {
  const charges = charged === undefined ? EVERY_CHARGE : OF_CHARGE[charged];
  const outcomes = outcome === undefined ? CALL_OUTCOMES : [outcome];
  return outcomes.reduce((mask, one) => mask | (charges << shiftOf(one)), 0);
}

function shiftOf(outcome: CallOutcome): number {
  return CALL_OUTCOMES.indexOf(outcome) * CHARGE_BITS;
}

/** A charge that nobody knows: of a request or, where a call has sent none of ours, of the call itself. */
export interface Unsettled {
  readonly call: CallRow;
  readonly attempt: AttemptRow | null;
}

export function unsettledOf({ calls, attempts }: Pick<RunReportRow, "calls" | "attempts">): Unsettled[] {
  return calls.flatMap((call): Unsettled[] => {
    const own = attempts.filter(({ ordinal }) => ordinal === call.ordinal);
    if (own.length === 0) return call.charged === "unknown" ? [{ call, attempt: null }] : [];
    return own.filter(({ charged }) => charged === "unknown").map((attempt) => ({ call, attempt }));
  });
}
