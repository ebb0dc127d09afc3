import type { Clock } from "../../terms/time/clock.ts";
import { repeat } from "../../terms/time/repeat.ts";
import type { LedgerLog } from "../ports.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";

export interface TotalsOptions {
  readonly ledger: Pick<LedgerAnswers, "makeTotals">;
  readonly clock: Clock;
  readonly log: LedgerLog;
  /** Whether there may be totals to make; checked each time. */
  readonly isNeeded?: () => boolean;
}

/** Spans can end every minute, so even a busy minute is summed up before the next query. */
const EVERY_MS = 60_000;
/** Soon after a start, because runs that were added while no service ran have no totals. */
const FIRST_MS = 5_000;

/**
 * Makes the totals of past spans, so that the first sum of a month is fast. Failures are retried, and logged once. Call
 * the returned function to stop after the statement in progress.
 */
export function maintainTotals({ ledger, clock, log, isNeeded = () => true }: TotalsOptions): () => void {
  let hasFailed = false;
  return repeat(clock, { firstMs: FIRST_MS, everyMs: EVERY_MS }, async (isStopped) => {
    if (!isNeeded()) return;
    try {
      await ledger.makeTotals(isStopped);
      hasFailed = false;
    } catch (error) {
      if (!isStopped() && !hasFailed)
        log.warn(
          { event: "ledger_totals_failed", error: String(error) },
          "totals of requests could not be made; sums take longer",
        );
      hasFailed = true;
    }
  });
}
