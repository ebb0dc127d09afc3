import type { Clock } from "../../terms/time/clock.ts";
import type { LedgerLog } from "../ports.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";

export interface TotalsOptions {
  readonly ledger: Pick<LedgerAnswers, "makeTotals">;
  readonly clock: Clock;
  readonly log: LedgerLog;
  /** Whether there may be anything to do; asked each time. */
  readonly isNeeded?: () => boolean;
}

/** As often as a minute can be over, so that not even a busy one is summed up while somebody waits. */
const EVERY_MS = 60_000;

/**
 * Makes the totals of what is over, so that nobody has to wait for the first sum of a month. What fails is tried again,
 * and is logged once. Returns what ends it, after the statement that is under way.
 */
export function maintainTotals({ ledger, clock, log, isNeeded = () => true }: TotalsOptions): () => void {
  let closed = false;
  let hasFailed = false;
  let cancel = clock.after(EVERY_MS, make);
  function make(): void {
    if (!isNeeded()) {
      cancel = clock.after(EVERY_MS, make);
      return;
    }
    ledger
      .makeTotals(() => closed)
      .then(
        () => void (hasFailed = false),
        (error: unknown) => {
          if (!closed && !hasFailed)
            log.warn(
              { event: "ledger_totals_failed", error: String(error) },
              "totals of requests could not be made; sums take longer",
            );
          hasFailed = true;
        },
      )
      .finally(() => {
        if (!closed) cancel = clock.after(EVERY_MS, make);
      });
  }
  return () => {
    closed = true;
    cancel();
  };
}
