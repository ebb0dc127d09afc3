import type { RunReportRow } from "../ports.ts";
import type { SettledRequest } from "./reconcile-charge.ts";
import { isOwnRecord } from "./recorded-charge.ts";

/**
 * What was settled of a call after a revision, 0 for all of it: each request as it was then, and as it is now. So whoever
 * has heard of some of the settlements can be told the rest at once.
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
      // A request without a row of what was recorded was unknown, and its price has stayed.
      const recorded = isOwnRecord(first, attempts) ? first : { ...first, charged: "unknown" as const };
      const known = history.findLast((one) => one.revision <= revision) ?? recorded;
      const before = { charged: known.charged, price: known.price, currency: known.currency };
      return [{ sentAt, before, after: { charged, price, currency } }];
    });
}

/** How often a call was settled. */
export function revisionOf({ reconciliations }: Pick<RunReportRow, "reconciliations">, ordinal: number): number {
  return Math.max(0, ...reconciliations.filter((one) => one.ordinal === ordinal).map((one) => one.revision));
}
