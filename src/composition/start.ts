import { resolve } from "node:path";
import { callHistoryOf } from "../admin/call-history.ts";
import { findSlowSources } from "../admin/attention/slow-sources.ts";
import { createAuthenticator } from "../access/authenticate.ts";
import { createConsole } from "../admin/http/console/serve-console.ts";
import { createLog, type ServiceLog } from "../operate/log.ts";
import { causeOf } from "../operate/run-log.ts";
import { countShapes } from "../health/count-shapes.ts";
import { sampleReplies } from "../health/sample-replies.ts";
import { watchHealth } from "../health/watch-health.ts";
import type { Deployment } from "../http/route.ts";
import type { LoadedSources } from "../project/load-sources.ts";
import { openCatalogs, type BrokenFileUpdate, type Catalogs } from "../project/open-catalogs.ts";
import { PACKAGE_ROOT } from "../project/package-root.ts";
import { createStoredVersions } from "../project/stored-versions.ts";
import type { Settings } from "../settings/settings.ts";
import { systemClock, type Clock } from "../terms/time/clock.ts";
import { openDemo } from "./demo.ts";
import { readDeployment, UNKNOWN_VERSION } from "./deployment.ts";
import { loadConsole } from "./load-console.ts";
import { openAdminApi } from "./open-admin-api.ts";
import { openSimulatedClient, openVendorClient } from "./open-vendor-clients.ts";
import { openBudgetsOf } from "./open-budgets.ts";
import { openLeasesOf } from "./open-leases.ts";
import { openLedger } from "./open-ledger.ts";
import { openProvenStore } from "./open-proven-store.ts";
import { openShadowResults } from "./open-shadow-results.ts";
import { openVersionRegistrar } from "./register-versions.ts";
import { preloadVersions } from "./preload-versions.ts";
import { openTelemetry } from "./open-telemetry.ts";
import { forgetAddress, recordAddress, reachableAddress } from "./service-address.ts";
import { startService, type Service } from "./service.ts";
import { newStartId } from "./used-by-starts.ts";

export interface StartOptions {
  readonly settings: Settings;
  /** Prints the demo's text for people. Without it no demo is made. */
  readonly printDemo?: ((text: string) => void) | undefined;
  /** How a person starts a command of this deployment, such as `npx datarun`; `datarun` if left out. */
  readonly program?: () => string;
  readonly log?: ServiceLog;
  readonly clock?: Clock;
  /** `datarun dev`: a broken file is reported, and the other files are served. */
  readonly dev?: boolean;
  /**
   * Whether the service lasts for one command only. It then must not create or upgrade a store, or register a root key.
   */
  readonly forCommand?: boolean;
  /** Replaces the sources of catalog and project in tests. */
  readonly sources?: LoadedSources;
}

export interface RunningService extends Omit<Service, "stop" | "openMetrics"> {
  /** Rejects if a reason against the start is found later: a root key that is not the store's. */
  readonly failed: Promise<never>;
  /** Reads the project again; see `Catalogs`. */
  reload(): Promise<readonly BrokenFileUpdate[]>;
  /** Every source, on or off, in its version last loaded. */
  loaded(): LoadedSources;
  /** Logs an error that an adapter throws after its call has ended. */
  reportStray(thrown: unknown): void;
  /** Ends in order: stops new runs, finishes those in progress, then closes the journal and the store. */
  close(): Promise<void>;
}

const NO_SPANS = { sent: 0, dropped: 0 };
/** How long closing waits for the log to be written. */
const LOG_WAIT_MS = 1_000;

/**
 * Starts the real service: opens every part, composes them, and prints the address. The parts are closed in reverse
 * order when the service ends or the start fails.
 */
export async function start(options: StartOptions): Promise<RunningService> {
  const { settings, clock = systemClock, dev = false } = options;
  const log = options.log ?? createLog(settings.logLevel);
  for (const { setting, instead } of settings.renamed)
    log.warn({ event: "setting_renamed", setting, instead }, "a setting is given by its former name");
  const dataDir = resolve(settings.dataDir);
  await using opened = new AsyncDisposableStack();

  // The catalogs take longest and depend on nothing, so they are opened first.
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
  // The data directory is locked now, so an address in it is that of a killed service.
  forgetAddress(dataDir);
  const leases = opened.adopt(openLeasesOf(store.leases, dataDir, clock), (it) => it.close());
  const startId = newStartId(clock);
  const ofBudgets = { store, dataDir, clock, log, startId, ledgers: journal };
  const budgets = opened.adopt(await openBudgetsOf(ofBudgets), (it) => it.close());
  const shadowResults = opened.use(openShadowResults(store.admin, clock));
  const authenticator = opened.adopt(createAuthenticator({ store: store.access, clock }), (it) => it.close());
  const deployment = readDeployment(PACKAGE_ROOT);
  const catalogs = await opening;
  const { gitDerivedVersion } = deployment;
  const build = gitDerivedVersion === UNKNOWN_VERSION ? null : gitDerivedVersion;
  const deployed = { build, deployedBy: settings.deployedBy ?? null };
  const registrar = opened.use(await openVersionRegistrar({ store, dataDir, clock, log, deployed }));
  await registrar.register(catalogs.versions());
  const versions = createStoredVersions({ store: store.admin, functions: async () => catalogs.functions, clock });
  // Opened before telemetry, which uses the same certificate authorities, because its error message describes a bad
  // file.
  const door = opened.adopt(openVendorClient(settings, clock), (it) => it.close());
  const content = async (id: string, digest: string): Promise<string | null> =>
    (await store.admin.versionTexts({ kind: "source", id, digest }))?.content ?? null;
  const shapes = opened.use(countShapes({ store: store.admin, clock, startId, content }));
  const sampler = opened.use(sampleReplies(clock, (sample) => shapes.count(sample)));
  const { answers } = journal;
  const findSlow = (wallAt: number) => findSlowSources(answers, wallAt);
  const health = opened.use(watchHealth({ store: store.admin, history: callHistoryOf(answers), findSlow }, clock));
  const telemetry = opened.use(await openTelemetry(settings, deployment, clock, log));

  if (options.forCommand !== true) {
    // Not awaited: sources can be served meanwhile.
    void catalogs.functions.verify();
    // Awaited for a few seconds, so that the first run of a workflow finds the version that it names.
    await opened.use(preloadVersions({ store, catalogs, versions, clock, log })).atStart;
  }

  const { stop, openMetrics, ...service } = await startService({
    settings,
    clock,
    log,
    deployment,
    authenticator,
    finder,
    observers: [billedCalls, finder, sampler, ...(telemetry.spans === null ? [] : [telemetry.spans])],
    ledger: journal.ledger,
    sources: catalogs.sources,
    functions: catalogs.functions,
    versions,
    shadowResults,
    vendorClient: sampler.observe(door),
    simulatedClient: openSimulatedClient(settings, clock, catalogs.sources),
    leaseOf: leases.leaseOf,
    budgets,
    startId,
    build,
    tellsErrors: dev,
    adminApi: openAdminApi({
      settings,
      clock,
      log,
      keyed,
      ledger: journal,
      catalogs,
      storedVersions: versions,
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
      ...notReadyReasons(journal.ledger.state().unavailable, store.health()),
      ...(catalogs.functions.hasOwn() ? problemOf(catalogs.functions) : []),
    ],
    // A project without functions may not use the catalog's either, so their problem is no warning.
    warnings: () => [...journal.warnings(), ...(catalogs.functions.hasOwn() ? [] : problemOf(catalogs.functions))],
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
      shadowRuns: () => shadowResults.outcomes(),
      sourceDrift: () => health.drift(),
      slowSources: () => health.slow(),
      spans: () => telemetry.spans?.counts() ?? NO_SPANS,
    },
  });
  const { drainMs, shutdownGraceMs } = settings.limits;
  // A service of an author or a command gets no other client's requests.
  const isOwn = dev || options.forCommand === true;
  opened.defer(() => stop({ drainMs: isOwn ? 0 : drainMs, graceMs: shutdownGraceMs }));
  // A service that ends with its command is not announced to others.
  if (options.forCommand !== true) {
    telemetry.exportMetrics(openMetrics);
    recordAddress(dataDir, service.url);
    opened.defer(() => forgetAddress(dataDir));
    logListening(log, service, deployment, catalogs);
  }
  if (settings.demo) options.printDemo?.(await openDemo(settings, store, service, clock));

  const parts = opened.move();
  return {
    ...service,
    failed: keyed.failed,
    reload: () => catalogs.reload((versions) => registrar.register(versions)),
    loaded: catalogs.loaded,
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

/** Prints the address at every log level, because programs that start the service wait for this line. */
function logListening(
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
    sources: catalogs.sourceIds.length,
    functions: catalogs.functions.list().length,
  });
}

function notReadyReasons(
  journal: string | null,
  health: { readonly state: string; readonly says: string | null },
): string[] {
  return [
    ...(journal === null ? [] : [`journal: ${journal}`]),
    ...(health.state === "ready" ? [] : [`store: ${health.says ?? health.state}`]),
  ];
}

function problemOf(functions: Catalogs["functions"]): string[] {
  const problem = functions.problem();
  return problem === null ? [] : [`functions: ${problem}`];
}
