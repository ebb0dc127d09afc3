import type { Clock } from "../terms/time/clock.ts";
import type { LedgerAnswers, LedgerMoment } from "./read/ledger-reader.ts";
import type { LedgerLog } from "./ports.ts";

export interface RetentionOptions {
  /** Runs that started longer ago than this are deleted. */
  readonly days: number;
  readonly ledger: Pick<LedgerAnswers, "prune" | "moment">;
  readonly clock: Clock;
  readonly log: LedgerLog;
}

/** Late enough not to slow down a start, and often enough that there is never much to delete. */
const FIRST_MS = 60_000;
const EVERY_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * EVERY_MS;
/** A clock that is further ahead than this may be wrong, or the service was off: it is believed after a day. */
const AHEAD_MS_MAX = 2 * DAY_MS;

/**
 * Deletes old runs over time; those with unknown charges stay until they are settled. Several machines may do so on one
 * ledger, by the ledger's own clock. Runs that a wrong clock makes look old would be lost, so after a leap of the clock
 * nothing is deleted for a day, and an error is logged, so that somebody can correct it. Returns what ends it.
 */
export function keepLedgerFor({ days, ledger, clock, log }: RetentionOptions): () => void {
  let closed = false;
  /** The ledger's time when it was last read, and the service's monotonic time at that moment. */
  let seen: { readonly wallAt: number; readonly now: number } | null = null;
  let doubtedAt: number | null = null;
  const startedAt = clock.now();
  let cancel = clock.after(FIRST_MS, prune);
  function prune(): void {
    void pruneOnce().finally(() => {
      if (!closed) cancel = clock.after(EVERY_MS, prune);
    });
  }
  async function pruneOnce(): Promise<void> {
    try {
      // Runs of this process, and of the last day, were perhaps dated by the clock that is in question.
      const moment = await ledger.moment(Math.max(DAY_MS, clock.now() - startedAt));
      const { wallAt } = moment;
      const aheadMs = seen === null ? leapIn(moment) : wallAt - seen.wallAt - (clock.now() - seen.now);
      seen = { wallAt, now: clock.now() };
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
      if (!closed) log.warn({ event: "ledger_prune_failed", error: String(error) }, "old runs could not be deleted");
    }
  }
  return () => {
    closed = true;
    cancel();
  };
}

/** How long no run had started before those of the last day. */
function leapIn({ wallAt, lastRunAt, nextRunAt }: LedgerMoment): number {
  return lastRunAt === null ? 0 : (nextRunAt ?? wallAt) - lastRunAt;
}
