import type { ServiceState } from "../admin/ports.ts";
import type { LiveNow } from "../admin/http/live-event.ts";
import type { Metrics } from "../operate/metrics.ts";
import { readLiveFigures, readRefusals } from "../operate/live-figures.ts";
import type { Runs } from "./runs.ts";
import type { ServiceParts } from "./service-parts.ts";

/** The state that a service reports to operators. */
export interface ServiceStateReader {
  state(): ServiceState;
  now(): LiveNow;
}

export function createStateReader(
  { readings, drainFailures, warnings, clock }: ServiceParts,
  runs: Runs,
  { counts }: Pick<Metrics, "counts">,
  notReady: () => readonly string[],
): ServiceStateReader {
  const state = (): ServiceState => {
    const ledger = readings.ledger();
    return {
      notReady: notReady(),
      openBreakers: runs.openBreakers(),
      refusedLately: readRefusals(counts, clock),
      unreadableDataKeys: readings.unreadableDataKeys(),
      sourceDrift: readings.sourceDrift(),
      ledger: {
        unavailable: ledger.unavailable,
        pendingRuns: ledger.pendingRecords,
        lagMs: ledger.lagMs,
        journalBytes: ledger.journalBytes,
        journalBytesMax: ledger.journalBytesMax,
        journalDaysLeft: ledger.journalDaysLeft,
        damageMet: ledger.damageMet + readings.damagedRuns(),
        undrainedRuns: readings.undrainedRuns(),
        drainFailures: drainFailures(),
      },
    };
  };
  return {
    state,
    now: () => ({
      wallAt: clock.wall(),
      figures: readLiveFigures(counts, clock),
      activeRuns: runs.admission.running,
      state: state(),
      warnings: warnings(),
    }),
  };
}
