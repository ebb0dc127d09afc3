import type { Charged } from "../../terms/fault.ts";
import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";

/** The outcome of a call: with a record, without a match, with a failure, or unknown. */
export type CallOutcome = "match" | "no_match" | "failed" | "unknown";

export const CALL_OUTCOMES: readonly CallOutcome[] = ["match", "no_match", "failed", "unknown"];

export function outcomeOf(call: Pick<CallRow, "success" | "match">): CallOutcome {
  if (call.success === null) return "unknown";
  if (call.success === 0) return "failed";
  return call.match === 1 ? "match" : "no_match";
}

/*
 * Bits for properties of calls and their requests, by which lists filter, so that an index is enough and no call is
 * read.
 */

const OF_CHARGE: { readonly [charged in Charged]: number } = { no: 1, yes: 2, unknown: 4 };
const NO_REQUEST = 8;
const CHARGE_BITS = 4;
const EVERY_CHARGE = 15;

/** A call of unknown charge without recorded requests: the operator settles the call itself. */
export const UNKNOWN_CALL = OF_CHARGE.unknown | NO_REQUEST;

/** The charges of a call's requests: one bit for each charge that occurs, and one for a call without requests. */
export function chargesBits(charged: Charged, requests: readonly Charged[]): number {
  if (requests.length === 0) return charged === "unknown" ? UNKNOWN_CALL : NO_REQUEST;
  return requests.reduce((bits, one) => bits | (OF_CHARGE[one] ?? OF_CHARGE.unknown), 0);
}

/** Whether a call sent a request. */
export function hasSent(charges: number): boolean {
  return (charges & NO_REQUEST) === 0;
}

/** The same in SQL, of a column. */
export function hasSentSql(charges: string): string {
  return `(${charges} & ${NO_REQUEST}) = 0`;
}

/** The verdicts of a run in which all calls failed before a request was sent. */
export const NOTHING_SENT = NO_REQUEST << shiftOf("failed");

/** Whether one of the charges is unknown. Only then `unsettledOf` returns something. */
export function hasUnknown(charges: number): boolean {
  return (charges & OF_CHARGE.unknown) !== 0;
}

export type CallVerdict = Pick<CallRow, "success" | "match" | "charges">;

/** The same bits for all calls of a run, in four groups by the outcome of the call. */
export function verdictsOf(calls: readonly CallVerdict[]): number {
  return calls.reduce((verdicts, call) => verdicts | (call.charges << shiftOf(outcomeOf(call))), 0);
}

/** All values of a call's `charges` that include this charge. They are few enough for an index search. */
export function chargesWith(charged: Charged): readonly number[] {
  return Array.from({ length: EVERY_CHARGE }, (_, at) => at + 1).filter((charges) => charges & OF_CHARGE[charged]);
}

/** The bits of a filter. A run matches if it has one of them. */
export function verdictMask({
  outcome,
  charged,
}: {
  readonly outcome?: CallOutcome | undefined;
  readonly charged?: Charged | undefined;
}): number {
  const charges = charged === undefined ? EVERY_CHARGE : OF_CHARGE[charged];
  const outcomes = outcome === undefined ? CALL_OUTCOMES : [outcome];
  return outcomes.reduce((mask, one) => mask | (charges << shiftOf(one)), 0);
}

function shiftOf(outcome: CallOutcome): number {
  return CALL_OUTCOMES.indexOf(outcome) * CHARGE_BITS;
}

/** An unknown charge: of a request or, if a call has no recorded requests, of the call itself. */
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
