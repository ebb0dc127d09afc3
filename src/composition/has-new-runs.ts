import type { RunningLedger } from "../ledger/journal/running-ledger.ts";
import type { Clock } from "../terms/clock.ts";

/** A day gets its totals an hour after it has ended. */
const NEW_MS = 26 * 60 * 60 * 1_000;

/**
 * Whether a run was written that may be without its totals. They are made in a thread, which a service without runs need
 * not have in memory. Nobody else listens to the ledger: without a shared database nothing is drained.
 */
export function hasNewRuns(ledger: Pick<RunningLedger, "onWritten">, clock: Pick<Clock, "now">): () => boolean {
  let writtenAt = Number.NEGATIVE_INFINITY;
  ledger.onWritten(() => (writtenAt = clock.now()));
  return () => clock.now() - writtenAt < NEW_MS;
}
