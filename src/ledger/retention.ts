import type { Clock } from "../terms/time/clock.ts";
import { DAY_MS, HOUR_MS } from "../terms/time/durations.ts";
import { repeat } from "../terms/time/repeat.ts";
import type { LedgerAnswers, LedgerMoment } from "./read/ledger-reader.ts";
import type { LedgerLog } from "./ports.ts";

export interface RetentionOptions {
  /** Runs that started longer ago than this are deleted. */
  readonly days: number;
  readonly ledger: Pick<LedgerAnswers, "prune" | "moment">;
  readonly clock: Clock;
  readonly log: LedgerLog;
}

/** The first deletion does not slow down the start. Later ones are frequent enough to have little to delete. */
const FIRST_MS = 60_000;
const EVERY_MS = HOUR_MS;
/** If a clock is further ahead than this, either it is wrong or the service was off. It is trusted after a day. */
const AHEAD_MS_MAX = 2 * DAY_MS;

/**
 * Deletes old runs, by the ledger's own clock; runs with unknown charges stay until they are settled. Several machines
 * may do so on one ledger.
 * A clock that is wrongly ahead would make all runs look old. So after a leap of the clock nothing is deleted for a
 * day, and an error is logged, so that an operator can correct the clock.
 * Call the returned function to stop.
 */
export function startRetention({ days, ledger, clock, log }: RetentionOptions): () => void {
  /** The ledger's time at its last reading, and the service's monotonic time of that reading. */
  let lastReading: { readonly wallAt: number; readonly now: number } | null = null;
  let doubtedAt: number | null = null;
  const startedAt = clock.now();
  return repeat(clock, { firstMs: FIRST_MS, everyMs: EVERY_MS }, async (isStopped) => {
    try {
      // Runs of this process, and of the last day, may have been dated by the suspect clock.
      const moment = await ledger.moment(Math.max(DAY_MS, clock.now() - startedAt));
      const { wallAt } = moment;
      const aheadMs =
        lastReading === null ? leapIn(moment) : wallAt - lastReading.wallAt - (clock.now() - lastReading.now);
      lastReading = { wallAt, now: clock.now() };
      if (aheadMs > AHEAD_MS_MAX) {
        doubtedAt = clock.now();
        log.error(
          { event: "ledger_clock_leapt", ahead_days: Math.round(aheadMs / DAY_MS) },
          "the clock is far ahead of the ledger: nothing is deleted for a day",
        );
      }
      if (doubtedAt !== null && clock.now() - doubtedAt < DAY_MS) return;
      doubtedAt = null;
      const pruned = await ledger.prune(wallAt - days * DAY_MS);
      if (pruned.deleted > 0) log.info({ event: "ledger_pruned", ...pruned }, "runs beyond their time were deleted");
    } catch (error) {
      if (!isStopped())
        log.warn({ event: "ledger_prune_failed", error: String(error) }, "old runs could not be deleted");
    }
  });
}

/** The time without a start of a run, before the runs of the last day. */
function leapIn({ wallAt, lastRunAt, nextRunAt }: LedgerMoment): number {
  return lastRunAt === null ? 0 : (nextRunAt ?? wallAt) - lastRunAt;
}
