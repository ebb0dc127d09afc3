import { join, resolve } from "node:path";
import { createAuthenticator } from "../access/authenticate.ts";
import type { Settings } from "../settings/settings.ts";
import { createDemo, demoCommands } from "./demo.ts";
import { readDeployment } from "./deployment.ts";
import { createDrainer } from "../ledger/drain.ts";
import { openLedgerDesk } from "../ledger/ledger-desk.ts";
import { createLedgerReader } from "../ledger/ledger-reader.ts";
import { keepLedgerFor } from "../ledger/retention.ts";
import { untilDrained } from "../ledger/until-drained.ts";
import { createLedger } from "../ledger/ledger.ts";
import { openKeyedStore } from "./open-store.ts";
import { openSimulatedDoor, openVendorDoor } from "./open-doors.ts";
import { createLog, type Log, type ServiceLog } from "../operate/log.ts";
import { causeOf } from "../operate/run-log.ts";
import { PACKAGE_ROOT } from "../project/package-root.ts";
import type { LoadedSources } from "../project/load-sources.ts";
import { forgetAddress, noteAddress } from "./service-address.ts";
import { settleRootKey } from "./settle-root-key.ts";
import type { Store } from "../storage/store.ts";
import { startService, type Service } from "./service.ts";
import { openCatalogs, type BrokenFile } from "../project/open-catalogs.ts";
import { systemClock, type Clock } from "../terms/clock.ts";
import { settledWithin } from "../terms/within.ts";

export interface StartOptions {
  readonly settings: Settings;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** For people: what a demo prints. */
  readonly tell: (words: string) => void;
  readonly log?: ServiceLog;
  readonly clock?: Clock;
  /** `datarun dev`: a broken file is reported and the rest serves. */
  readonly dev?: boolean;
  /** For the length of one command: it is not by this that a store is made, brought up to date, or given its root key. */
  readonly forCommand?: boolean;
  /** In place of the catalog's and the project's: for the tests, whose sources do what no file should. */
  readonly sources?: LoadedSources;
}

export interface Running extends Service {
  /** Rejects when something turns out later that would have stopped the start: a root key that does not fit. */
  readonly failed: Promise<never>;
  /** Reads the project again; see `Catalogs`. */
  reload(): Promise<readonly BrokenFile[]>;
  /** For what an adapter throws when nobody listens any more. */
  reportStray(thrown: unknown): void;
  /** Ends in order: no new runs, what is under way, the journal, the store. */
  close(): Promise<void>;
}

/** Starts the real service: opens every part, puts them together, and says where it listens. */
export async function start(options: StartOptions): Promise<Running> {
  const { settings, environment } = options;
  const clock = options.clock ?? systemClock;
  const log = options.log ?? createLog(settings.logLevel);
  const dataDir = resolve(settings.dataDir);
  const databaseUrl = settings.databaseUrl;

  const opening = openCatalogs({ settings, clock, log, dev: options.dev ?? false, loaded: options.sources });
  const [deployment, opened, catalogs] = await Promise.all([
    readDeployment(PACKAGE_ROOT),
    openKeyedStore({
      dataDir,
      databaseUrl,
      rootKey: environment["DATARUN_ROOT_KEY"],
      clock,
      opening: options.forCommand === true ? "look" : "upgrade",
      tell: ({ event, says }) => log.warn({ event }, says),
    }),
    opening,
  ]).catch(async (error: unknown) => {
    // Processes of functions are not left behind by a start that fails.
    await opening.then(({ functions }) => functions.close(), () => {}); // prettier-ignore
    throw error;
  });
  const { store, finder } = opened;
  let keysUnreadable = 0;
  const keyed = opened.proven.then(async (standing) => {
    keysUnreadable = standing.unreadable;
    if (options.forCommand !== true) await settleRootKey(opened, standing, clock, log);
  });
  keyed.catch(() => {});
  if (await settledWithin(clock, STORE_WAIT_MS, keyed)) await keyed;
  const ledger = createLedger({
    dir: join(dataDir, "ledger"),
    clock,
    log,
    limits: { journalBytesMax: settings.limits.journalBytes },
  });
  forgetAddress(dataDir);
  await ledger.ready;
  // With a shared database the journal is an outbox: what it holds goes there, across restarts of either.
  const drainer =
    databaseUrl === undefined
      ? null
      : createDrainer({ dir: join(dataDir, "ledger"), ledger, sink: store.ledger, clock, log });
  const retention = openRetention({
    days: settings.ledgerRetentionDays,
    dataDir,
    databaseUrl,
    store,
    clock,
    log,
  });
  const authenticator = createAuthenticator({ store: store.access, clock });
  const door = openVendorDoor(settings, clock);

  const service = await startService({
    settings,
    clock,
    log,
    deployment,
    authenticator,
    finder,
    ledger,
    sources: catalogs.sources,
    functions: catalogs.functions,
    door,
    simulatedDoor: openSimulatedDoor(settings, clock),
    tellsErrors: options.dev ?? false,
    notReady: () => reasons(ledger.state().unavailable, store.health()),
    warnings: () => (drainer === null ? warnings(ledger.state().journalDaysLeft) : []),
    gauges: {
      ledger_pending_records: {
        help: "Runs that have ended and are not known to be on disk.",
        read: () => ledger.state().pendingRecords,
      },
      ledger_lag_seconds: { help: "Age of the oldest of them.", read: () => ledger.state().lagMs / 1000 },
      ledger_undrained_runs: {
        help: "Runs that have not gone to the shared database.",
        read: () => drainer?.state().pendingRuns ?? 0,
      },
      log_lines_dropped: {
        help: "Lines of the log that were dropped since the start, because their reader was too slow.",
        read: log.droppedLines,
      },
      data_keys_unreadable: {
        help: "Data keys that could not be opened at the start: credentials that are sealed with them fail.",
        read: () => keysUnreadable,
      },
      journal_bytes: { help: "Size of the journal.", read: () => ledger.state().journalBytes },
      journal_bytes_max: { help: "Size at which no new run is taken.", read: () => ledger.state().journalBytesMax },
      journal_days_left: {
        help: "Days until the journal is full at the rate of the last day; 3650 for more, and for no growth.",
        read: () => Math.min(DAYS_LEFT_MAX, ledger.state().journalDaysLeft ?? DAYS_LEFT_MAX),
      },
      vendor_calls_in_flight: {
        help: "Requests under way to vendors.",
        read: () => sum(door.stats().origins, "inFlight"),
      },
      vendor_calls_waiting: {
        help: "Requests that wait for a connection.",
        read: () => sum(door.stats().origins, "waiting"),
      },
      function_runs_under_way: { help: "Functions that run now.", read: () => catalogs.functions.stats().active },
      function_runs_waiting: {
        help: "Functions that wait for a process.",
        read: () => catalogs.functions.stats().queued,
      },
      function_processes: {
        help: "Processes that hold isolates, spare ones included.",
        read: () => catalogs.functions.stats().children,
      },
      function_processes_apart: {
        help: "Processes that are set apart for the functions of one organization.",
        read: () => catalogs.functions.stats().apart,
      },
      function_processes_killed: {
        help: "Processes killed since the start because of what ran in them.",
        read: () => catalogs.functions.stats().killed,
      },
    },
  });
  noteAddress(dataDir, service.url);
  void catalogs.functions.ready();
  // Whoever starts it waits for this line, whatever else is logged.
  log.child({}, { level: "info" }).info({
    event: "listening",
    url: service.url,
    admin_url: service.adminUrl,
    ...deployment,
    sources: catalogs.sourceCount,
    functions: catalogs.functionCount,
  });
  if (settings.demo && databaseUrl === undefined) {
    const access = await createDemo(store.admin, clock);
    if (access !== null) options.tell(demoCommands(service.url, access));
  }
  const failed = new Promise<never>((_, reject) => void keyed.catch(reject));
  failed.catch(() => {});
  return {
    ...service,
    failed,
    reload: catalogs.reload,
    reportStray(thrown) {
      log.error({ event: "stray_error", cause: causeOf(thrown) }, "something failed outside of any run");
    },
    async close() {
      forgetAddress(dataDir);
      await service.stop(settings.limits.shutdownGraceMs);
      await retention.close();
      door.close();
      await catalogs.functions.close();
      await authenticator.close();
      const giveUpAt = clock.now() + DRAIN_WAIT_MS;
      if (drainer !== null) await untilDrained(drainer, clock, () => clock.now() >= giveUpAt);
      await drainer?.close();
      await ledger.close();
      await store.close();
      log.info({ event: "stopped" });
      await log.written(LOG_WAIT_MS);
    },
  };
}

interface RetentionParts {
  readonly days: number;
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
}

/** Where each machine has a ledger of its own, a thread prunes it: it is large, and no run shall wait for that. */
function openRetention({ days, dataDir, databaseUrl, store, clock, log }: RetentionParts): { close(): Promise<void> } {
  if (days === 0) return { close: async () => {} };
  const desk = databaseUrl === undefined ? openLedgerDesk({ dir: join(dataDir, "ledger") }) : null;
  const end = keepLedgerFor({ days, ledger: desk ?? createLedgerReader(store.ledgerTables), clock, log });
  return {
    close: async () => {
      end();
      await desk?.close();
    },
  };
}

/** How long a start waits for a database before it listens without it: runs are refused then, `/status` is not. */
const STORE_WAIT_MS = 3_000;

/** How long an end waits for whoever reads the log. */
const LOG_WAIT_MS = 1_000;

/** How long an end waits for the shared database; what has not gone out by then goes out after the next start. */
const DRAIN_WAIT_MS = 5_000;

const DAYS_LEFT_MAX = 3_650;
const DAYS_LEFT_WARNING = 14;

/** Where the journal is the ledger, nothing leaves it by itself unless it is told how long to keep runs. */
function warnings(daysLeft: number | null): string[] {
  if (daysLeft === null || daysLeft >= DAYS_LEFT_WARNING) return [];
  return [`journal: full in ${Math.floor(daysLeft)} days at the rate of the last day`];
}

function reasons(journal: string | null, health: { readonly state: string; readonly says: string | null }): string[] {
  return [
    ...(journal === null ? [] : [`journal: ${journal}`]),
    ...(health.state === "ready" ? [] : [`store: ${health.says ?? health.state}`]),
  ];
}

function sum(
  rows: readonly { readonly inFlight: number; readonly waiting: number }[],
  key: "inFlight" | "waiting",
): number {
  return rows.reduce((total, row) => total + row[key], 0);
}

export type { Log };
