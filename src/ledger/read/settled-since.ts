import type { RunReportRow } from "../ports.ts";
import type { SettledRequest } from "./reconcile-charge.ts";
import { isOwnRecord } from "./recorded-charge.ts";

/**
 * The settlements of a call after a revision, 0 for all: each request as it was at the revision, and as it is now. A
 * receiver that knows some settlements can so be sent all others at once.
 */
export function settledSince(
  { attempts, reconciliations }: Pick<RunReportRow, "attempts" | "reconciliations">,
  ordinal: number,
  revision: number,
): readonly SettledRequest[] {
  return attempts
    .filter((attempt) => attempt.ordinal === ordinal)
    .flatMap(({ number, sent_at: sentAt, charged, price, currency }) => {
      const history = reconciliations
        .filter((one) => one.ordinal === ordinal && one.attempt === number)
        .toSorted((one, other) => one.revision - other.revision);
      const first = history[0];
      if (first === undefined || history.at(-1)!.revision <= revision) return [];
      // Without a row of its record, a request was unknown, and its price has not changed.
      const recorded = isOwnRecord(first, attempts) ? first : { ...first, charged: "unknown" as const };
      const known = history.findLast((one) => one.revision <= revision) ?? recorded;
      const before = { charged: known.charged, price: known.price, currency: known.currency };
      return [{ sentAt, before, after: { charged, price, currency } }];
    });
}

/** The number of settlements of a call. */
export function revisionOf({ reconciliations }: Pick<RunReportRow, "reconciliations">, ordinal: number): number {
  return Math.max(0, ...reconciliations.filter((one) => one.ordinal === ordinal).map((one) => one.revision));
}
