import { join } from "node:path";
import { openDrainThread, type DrainThread } from "../ledger/drain/drain-thread.ts";
import { openPruningThread } from "../ledger/read/pruning-thread.ts";
import { createLedgerReader } from "../ledger/read/ledger-reader.ts";
import { createLedger } from "../ledger/ledger.ts";
import { keepLedgerFor } from "../ledger/retention.ts";
import type { RunningLedger } from "../ledger/journal/running-ledger.ts";
import type { Log } from "../operate/log.ts";
import type { Settings } from "../settings/settings.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/clock.ts";
import { moduleBeside } from "../terms/module-beside.ts";
import type { DrainWorkerData } from "./drain-worker.ts";

export interface LedgerParts {
  readonly settings: Settings;
  readonly dataDir: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenedLedger extends AsyncDisposable {
  readonly ledger: RunningLedger;
  undrainedRuns(): number;
  damagedRuns(): number;
  /** Reasons why it will stop accepting runs before long. */
  warnings(): readonly string[];
}

/**
 * How long closing waits for the shared database; runs that have not been sent by then are sent after the next start.
 */
const DRAIN_WAIT_MS = 5_000;

/** Opens the journal; the drainer, if a database is shared; and what deletes old runs. */
export async function openLedger(parts: LedgerParts): Promise<OpenedLedger> {
  const { settings, dataDir, clock, log } = parts;
  await using opened = new AsyncDisposableStack();
  const dir = join(dataDir, "ledger");
  const limits = { journalBytesMax: settings.limits.journalBytes };
  const ledger = opened.adopt(createLedger({ dir, clock, log, limits }), (it) => it.close());
  await ledger.ready;
  // With a shared database the journal is an outbox: its runs are sent there, also after a restart of either.
  const { databaseUrl } = settings;
  const drained = databaseUrl === undefined ? null : openDrain({ dir, databaseUrl }, parts, ledger);
  if (drained !== null) {
    opened.defer(async () => {
      await ledger.flush();
      await drained.close(DRAIN_WAIT_MS);
    });
  }
  opened.defer(openRetention(parts, dir));
  const kept = opened.move();
  return {
    ledger,
    undrainedRuns: () => drained?.state().pendingRuns ?? 0,
    damagedRuns: () => drained?.state().damaged ?? 0,
    warnings: () => (drained !== null ? [] : daysLeftWarning(ledger.state().journalDaysLeft)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function openDrain(workerData: DrainWorkerData, { clock, log }: LedgerParts, ledger: RunningLedger): DrainThread {
  const entry = moduleBeside("./drain-worker.ts", import.meta.url);
  return openDrainThread({ entry, workerData, ledger, clock, log });
}

/** If each machine has a ledger of its own, a thread prunes it: it is large, and runs must not wait for that. */
function openRetention({ settings, store, clock, log }: LedgerParts, dir: string): () => Promise<void> {
  const days = settings.ledgerRetentionDays;
  if (days === 0) return async () => {};
  const thread = settings.databaseUrl === undefined ? openPruningThread({ dir }) : null;
  const end = keepLedgerFor({ days, ledger: thread ?? createLedgerReader(store.ledgerTables), clock, log });
  return async () => {
    end();
    await thread?.close();
  };
}

const DAYS_LEFT_WARNING = 14;

/** If the journal is the ledger, nothing is deleted from it unless a setting says how long to keep runs. */
function daysLeftWarning(daysLeft: number | null): string[] {
  if (daysLeft === null || daysLeft >= DAYS_LEFT_WARNING) return [];
  return [`journal: full in ${Math.floor(daysLeft)} days at the rate of the last day`];
}
