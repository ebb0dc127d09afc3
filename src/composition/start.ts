import { resolve } from "node:path";
import { createAuthenticator } from "../access/authenticate.ts";
import { createConsole } from "../admin-api/console/serve-console.ts";
import { createLog, type ServiceLog } from "../operate/log.ts";
import { causeOf } from "../operate/run-log.ts";
import type { Deployment } from "../http/route.ts";
import type { LoadedSources } from "../project/load-sources.ts";
import { openCatalogs, type BrokenNow, type Catalogs } from "../project/open-catalogs.ts";
import { PACKAGE_ROOT } from "../project/package-root.ts";
import type { Settings } from "../settings/settings.ts";
import { systemClock, type Clock } from "../terms/clock.ts";
import { makeDemo } from "./demo.ts";
import { readDeployment } from "./deployment.ts";
import { loadConsole } from "./load-console.ts";
import { openAdminApi } from "./open-admin-api.ts";
import { openSimulatedDoor, openVendorDoor } from "./open-doors.ts";
import { openBudgetsOf } from "./open-budgets.ts";
import { openLeasesOf } from "./open-leases.ts";
import { openLedger } from "./open-ledger.ts";
import { openProvenStore } from "./open-proven-store.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { forgetAddress, noteAddress, reachableAddress } from "./service-address.ts";
import { startService, type Service } from "./service.ts";
import { newStartId } from "./used-by-starts.ts";

export interface StartOptions {
  readonly settings: Settings;
  /** For people: text that a demo prints. If left out, none is made. */
  readonly tell?: ((words: string) => void) | undefined;
  /** How a person starts a command on this deployment, such as `npx datarun`; `datarun` if left out. */
  readonly program?: () => string;
  readonly log?: ServiceLog;
  readonly clock?: Clock;
  /** `datarun dev`: a broken file is reported, and the others are served. */
  readonly dev?: boolean;
  /** For the duration of one command, which must not create or upgrade a store, or give it its root key. */
  readonly forCommand?: boolean;
  /** Replaces the sources of catalog and project, for tests whose sources do what no file should. */
  readonly sources?: LoadedSources;
}

export interface Running extends Omit<Service, "stop" | "openMetrics"> {
  /** Rejects if something is found later that would have prevented the start: a root key that does not fit. */
  readonly failed: Promise<never>;
  /** Reads the project again; see `Catalogs`. */
  reload(): Promise<readonly BrokenNow[]>;
  /** For errors that an adapter throws after its call has ended. */
  reportStray(thrown: unknown): void;
  /** Ends in order: stops new runs, finishes those in progress, then closes the journal and the store. */
  close(): Promise<void>;
}

const NO_SPANS = { sent: 0, dropped: 0 };
/** How long closing waits for the log to be written. */
const LOG_WAIT_MS = 1_000;

/**
 * Starts the real service: opens every part, puts them together, and says where it listens. The parts are closed in
 * reverse order, when the service ends or if the start fails.
 */
export async function start(options: StartOptions): Promise<Running> {
  const { settings, clock = systemClock, dev = false } = options;
  const log = options.log ?? createLog(settings.logLevel);
  for (const { setting, instead } of settings.renamed)
    log.warn({ event: "setting_renamed", setting, instead }, "a setting is given by its former name");
  const dataDir = resolve(settings.dataDir);
  await using opened = new AsyncDisposableStack();

  // The catalogs take longest, and depend on nothing.
  const opening = openCatalogs({ settings, clock, log, dev, loaded: options.sources });
  opening.catch(() => {});
  opened.defer(() =>
    opening.then(
      ({ functions }) => functions.close(),
      () => {},
    ),
  );
  const keyed = opened.use(await openProvenStore({ ...options, dataDir, clock, log }));
  const { store, finder, billedCalls } = keyed;
  const journal = opened.use(await openLedger({ settings, dataDir, store, clock, log }));
  // The data directory is this service's from here on, and an address in it that of one that was killed.
  forgetAddress(dataDir);
  const leases = opened.adopt(openLeasesOf(store.leases, dataDir, clock), (it) => it.close());
  const startId = newStartId(clock);
  const ofBudgets = { store, dataDir, clock, log, startId, ledgers: journal };
  const budgets = opened.adopt(await openBudgetsOf(ofBudgets), (it) => it.close());
  const authenticator = opened.adopt(createAuthenticator({ store: store.access, clock }), (it) => it.close());
  const deployment = readDeployment(PACKAGE_ROOT);
  const catalogs = await opening;
  // Before telemetry, which trusts the same authorities: this one says in a sentence what is wrong with them.
  const door = opened.adopt(openVendorDoor(settings, clock), (it) => it.close());
  const telemetry = opened.use(await openTelemetry(settings, deployment, clock, log));

  // Not awaited: what needs no function can be served meanwhile.
  if (options.forCommand !== true) void catalogs.functions.verify();

  const { stop, openMetrics, ...service } = await startService({
    settings,
    clock,
    log,
    deployment,
    authenticator,
    finder,
    observers: telemetry.spans === null ? [billedCalls] : [billedCalls, telemetry.spans],
    ledger: journal.ledger,
    sources: catalogs.sources,
    functions: catalogs.functions,
    door,
    simulatedDoor: openSimulatedDoor(settings, clock, catalogs.sources),
    leaseOf: leases.leaseOf,
    budgets,
    startId,
    tellsErrors: dev,
    adminApi: openAdminApi({
      settings,
      clock,
      log,
      keyed,
      ledger: journal,
      catalogs,
      door,
      budgets,
      publicUrl: () => reachableAddress(service.url),
      state: () => service.state(),
      now: () => service.now(),
      watchCalls: (tokenId, tell) => service.watchCalls(tokenId, tell),
      program: options.program ?? (() => "datarun"),
    }),
    console: settings.console === "off" ? null : createConsole({ hosts: settings.adminHosts, log, load: loadConsole }),
    notReady: () => [
      ...reasons(journal.ledger.state().unavailable, store.health()),
      ...(catalogs.functions.hasOwn() ? problemOf(catalogs.functions) : []),
    ],
    // A project without functions may not use those of the catalog either.
    warnings: () => [...journal.warnings(), ...(catalogs.functions.hasOwn() ? [] : problemOf(catalogs.functions))],
    adminPages: [],
    drainFailures: journal.drainFailures,
    readings: {
      vendorCalls: () => door.stats().origins,
      functions: () => catalogs.functions.stats(),
      budgets: budgets.readings,
      ledger: () => journal.ledger.state(),
      undrainedRuns: journal.undrainedRuns,
      damagedRuns: journal.damagedRuns,
      unreadableDataKeys: keyed.unreadableDataKeys,
      droppedLogLines: log.droppedLines,
      spans: () => telemetry.spans?.counts() ?? NO_SPANS,
    },
  });
  const { drainMs, shutdownGraceMs } = settings.limits;
  // Nobody else's requests come to a service that an author or a command has started.
  const isOwn = dev || options.forCommand === true;
  opened.defer(() => stop({ drainMs: isOwn ? 0 : drainMs, graceMs: shutdownGraceMs }));
  // One that ends with its command is not there for others.
  if (options.forCommand !== true) {
    telemetry.exportMetrics(openMetrics);
    noteAddress(dataDir, service.url);
    opened.defer(() => forgetAddress(dataDir));
    sayListening(log, service, deployment, catalogs);
  }
  if (settings.demo) options.tell?.(await makeDemo(settings, store, service, clock));

  const parts = opened.move();
  return {
    ...service,
    failed: keyed.failed,
    reload: catalogs.reload,
    reportStray(thrown) {
      log.error({ event: "stray_error", cause: causeOf(thrown) }, "something failed outside of any run");
    },
    async close() {
      await parts.disposeAsync();
      log.info({ event: "stopped" });
      await log.written(LOG_WAIT_MS);
    },
  };
}

/** Programs that start the service wait for this line, so it is printed at every log level. */
function sayListening(
  log: ServiceLog,
  service: Pick<Service, "url" | "adminUrl">,
  deployment: Deployment,
  catalogs: Catalogs,
): void {
  log.child({}, { level: "info" }).info({
    event: "listening",
    url: service.url,
    admin_url: service.adminUrl,
    git_sha: deployment.gitSha,
    git_derived_version: deployment.gitDerivedVersion,
    sources: catalogs.sourceCount,
    functions: catalogs.functionCount,
  });
}

function reasons(journal: string | null, health: { readonly state: string; readonly says: string | null }): string[] {
  return [
    ...(journal === null ? [] : [`journal: ${journal}`]),
    ...(health.state === "ready" ? [] : [`store: ${health.says ?? health.state}`]),
  ];
}

function problemOf(functions: Catalogs["functions"]): string[] {
  const problem = functions.problem();
  return problem === null ? [] : [`functions: ${problem}`];
}
