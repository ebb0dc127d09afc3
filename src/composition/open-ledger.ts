import { join } from "node:path";
import { openDrainThread, type DrainThread } from "../ledger/drain/drain-thread.ts";
import { openJournalThread } from "../ledger/read/journal-thread.ts";
import { createLedgerReader, type LedgerAnswers } from "../ledger/read/ledger-reader.ts";
import { createLedger } from "../ledger/ledger.ts";
import { startRetention } from "../ledger/retention.ts";
import { maintainTotals } from "../ledger/read/maintain-totals.ts";
import type { RunningLedger } from "../ledger/journal/running-ledger.ts";
import { usedJournal } from "../ledger/journal/used-journal.ts";
import type { Log } from "../operate/log.ts";
import type { Settings } from "../settings/settings.ts";
import type { Store } from "../storage/store.ts";
import type { Clock } from "../terms/time/clock.ts";
import { DAY_MS, HOUR_MS } from "../terms/time/durations.ts";
import { moduleBeside } from "../terms/platform/module-beside.ts";
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
  /** The ledger as operators read it: the shared one, or this machine's journal if there is no shared database. */
  readonly answers: LedgerAnswers;
  /** This machine's journal. */
  readonly journal: LedgerAnswers;
  undrainedRuns(): number;
  damagedRuns(): number;
  /** Consecutive failures of sending runs to the shared database. */
  drainFailures(): number;
  /** Conditions that will soon stop the service from accepting runs. */
  warnings(): readonly string[];
}

/** How long closing waits for the shared database. Runs not sent by then are sent after the next start. */
const DRAIN_WAIT_MS = 5_000;

/** Opens the journal, the drainer if there is a shared database, and the deletion of old runs. */
export async function openLedger(parts: LedgerParts): Promise<OpenedLedger> {
  const { settings, dataDir, store, clock, log } = parts;
  await using opened = new AsyncDisposableStack();
  const dir = join(dataDir, "ledger");
  const limits = { journalBytesMax: settings.limits.journalBytes };
  const used = usedJournal(dir);
  const ledger = opened.adopt(createLedger({ dir, clock, log, limits }), (it) => it.close());
  await ledger.ready;
  // With a shared database the journal is an outbox: its runs are sent to the database, also after a restart of either.
  const { databaseUrl } = settings;
  const drained = databaseUrl === undefined ? null : openDrain({ dir, databaseUrl, usedJournal: used }, parts, ledger);
  if (drained !== null) {
    opened.defer(async () => {
      await ledger.flush();
      await drained.close(DRAIN_WAIT_MS);
    });
  }
  const journal = openJournal(dir, opened);
  const answers = databaseUrl === undefined ? journal : createLedgerReader(store.ledgerTables);
  opened.defer(openRetention(parts, answers));
  const isNeeded = databaseUrl === undefined ? hasNewRuns(ledger, clock) : () => true;
  opened.defer(maintainTotals({ ledger: answers, clock, log, isNeeded }));
  const kept = opened.move();
  return {
    ledger,
    answers,
    journal,
    undrainedRuns: () => drained?.state().pendingRuns ?? 0,
    damagedRuns: () => drained?.state().damaged ?? 0,
    drainFailures: () => drained?.state().failures ?? 0,
    warnings: () => (drained !== null ? [] : daysLeftWarning(ledger.state().journalDaysLeft)),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

function openDrain(workerData: DrainWorkerData, { clock, log }: LedgerParts, ledger: RunningLedger): DrainThread {
  const entry = moduleBeside("./drain-worker.ts", import.meta.url);
  return openDrainThread({ entry, workerData, ledger, clock, log });
}

/**
 * Opens readers in threads of their own: runs must not wait for readers of a large journal, lists must not wait for
 * sums, which take seconds without totals, and neither must wait for queries that take minutes.
 */
function openJournal(dir: string, opened: AsyncDisposableStack): LedgerAnswers {
  const threads = [openJournalThread({ dir }), openJournalThread({ dir }), openJournalThread({ dir })] as const;
  opened.defer(async () => void (await Promise.all(threads.map((thread) => thread.close()))));
  const [quick, sums, slow] = threads;
  return {
    ...quick,
    count: sums.count,
    summary: sums.summary,
    spend: sums.spend,
    sumStarts: sums.sumStarts,
    makeTotals: sums.makeTotals,
    history: sums.history,
    prune: slow.prune,
    verify: slow.verify,
  };
}

/** The totals of a day are made an hour after its end. */
const NEW_MS = DAY_MS + 2 * HOUR_MS;

/**
 * Whether a run was written whose day may lack totals. Totals are made in a thread, which a service without runs need
 * not start. This is the only listener of the ledger, because without a shared database nothing is drained.
 */
export function hasNewRuns(ledger: Pick<RunningLedger, "onWritten">, clock: Pick<Clock, "now">): () => boolean {
  let writtenAt = Number.NEGATIVE_INFINITY;
  ledger.onWritten(() => (writtenAt = clock.now()));
  return () => clock.now() - writtenAt < NEW_MS;
}

function openRetention({ settings, clock, log }: LedgerParts, ledger: LedgerAnswers): () => void {
  const days = settings.ledgerRetentionDays;
  return days === 0 ? () => {} : startRetention({ days, ledger, clock, log });
}

const DAYS_LEFT_WARNING = 14;

/** A journal that is the ledger is deleted from only if a setting says how long to keep runs. */
function daysLeftWarning(daysLeft: number | null): string[] {
  if (daysLeft === null || daysLeft >= DAYS_LEFT_WARNING) return [];
  return [`journal: full in ${Math.floor(daysLeft)} days at the rate of the last day`];
}
