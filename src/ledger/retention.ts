import type { Clock } from "../terms/clock.ts";
import type { LedgerAnswers } from "./ledger-reader.ts";
import type { LedgerLog } from "./ports.ts";

export interface RetentionOptions {
  /** Runs that started longer ago go. */
  readonly days: number;
  readonly ledger: Pick<LedgerAnswers, "prune">;
  readonly clock: Clock;
  readonly log: LedgerLog;
}

/** Late enough that a start is not slowed by it, and often enough that there is never much to do. */
const FIRST_MS = 60_000;
const EVERY_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * EVERY_MS;

/**
 * Deletes old runs by and by; those with unknown charges stay until they are settled. Several machines may do so on one
 * ledger. Returns what ends it.
 */
export function keepLedgerFor({ days, ledger, clock, log }: RetentionOptions): () => void {
  let closed = false;
  let cancel = clock.after(FIRST_MS, prune);
  function prune(): void {
    void pruneOnce().finally(() => {
      if (!closed) cancel = clock.after(EVERY_MS, prune);
    });
  }
  async function pruneOnce(): Promise<void> {
    try {
      const pruned = await ledger.prune(clock.wall() - days * DAY_MS);
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
