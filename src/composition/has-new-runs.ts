import type { RunningLedger } from "../ledger/journal/running-ledger.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The totals of a day are made an hour after its end. */
const NEW_MS = 26 * 60 * 60 * 1_000;

/**
 * Whether a run was written whose day may lack totals. Totals are made in a thread, which a service without runs need
 * not start. This is the only listener of the ledger, because without a shared database nothing is drained.
 */
export function hasNewRuns(ledger: Pick<RunningLedger, "onWritten">, clock: Pick<Clock, "now">): () => boolean {
  let writtenAt = Number.NEGATIVE_INFINITY;
  ledger.onWritten(() => (writtenAt = clock.now()));
  return () => clock.now() - writtenAt < NEW_MS;
}
