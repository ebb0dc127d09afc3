import type { AttemptRow, CallRow, RunReportRow } from "../ports.ts";

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
