import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createSingleCallerAuthenticator } from "../access/single-caller.ts";
import type { ServiceLog } from "../operate/log.ts";
import { causeOf } from "../operate/run-log.ts";
import { readSettingsOf } from "../project/config-file.ts";
import type { LoadedSources } from "../project/load-sources.ts";
import { openCatalogs } from "../project/open-catalogs.ts";
import { PACKAGE_ROOT } from "../project/package-root.ts";
import type { Budgets, Leases } from "../run/middleware/ports.ts";
import type { VendorClient, SourceCatalog } from "../run/ports.ts";
import type { Settings } from "../settings/settings.ts";
import { anyCredential } from "../simulation/made-up-credentials.ts";
import { RecentRuns } from "../simulation/recent-runs.ts";
import { failuresFromTexts } from "../simulation/usual-failures.ts";
import { PLAIN_WORKFLOW, type Caller } from "../terms/caller.ts";
import { systemClock } from "../terms/time/clock.ts";
import { PREFIX } from "../terms/ids.ts";
import { readDeployment } from "./deployment.ts";
import { mockPages } from "./mock-pages.ts";
import { openSimulatedClient } from "./open-vendor-clients.ts";
import { startService, type Service } from "./service.ts";

export interface MockOptions {
  readonly host: string;
  readonly port: number;
  readonly adminPort: number;
  readonly project: string | undefined;
  readonly token: string;
  readonly workflow: string;
  readonly failureDetails: boolean;
  /** Failures such as `gleif__lei_record=timeout`. */
  readonly set: readonly string[];
  /** The longest time that a source waits for its vendor; the time that it declares if `undefined`. */
  readonly timeoutMs: number | undefined;
  readonly log: ServiceLog;
  /** Replaces the sources of catalog and project, for tests. */
  readonly sources?: LoadedSources;
}

export interface Mock extends Omit<Service, "stop"> {
  /** Logs an error that an adapter throws after its call has ended. */
  reportStray(thrown: unknown): void;
  close(): Promise<void>;
}

/** How long closing a mock waits for running requests: a finished test waits for none. */
const GRACE_MS = 500;

/**
 * Starts the service for tests of its callers: the same public server, engine, sources and functions, with one access
 * token whose workflow is simulated. It stores nothing and cannot reach a vendor.
 * @throws CannotSimulate, BrokenProject
 */
export async function startMock(options: MockOptions): Promise<Mock> {
  const { log } = options;
  await using opened = new AsyncDisposableStack();
  // A path that need not exist. The project's compiled code is cached there, if possible, until the mock ends.
  const dataDir = join(tmpdir(), `datarun-mock-${randomUUID()}`);
  opened.defer(() => rm(dataDir, { recursive: true, force: true }));
  const settings = await mockSettings(options, dataDir);
  const clock = systemClock;
  const catalogs = await openCatalogs({ settings, clock, log, dev: false, loaded: options.sources });
  opened.defer(() => catalogs.functions.close());
  const sources = { ...withTimeout(catalogs.sources, options.timeoutMs), ids: catalogs.sourceIds };
  const first = failuresFromTexts(options.set, sources);
  let failures = first;
  const runs = new RecentRuns();

  const { stop, ...service } = await startService({
    settings,
    clock,
    log,
    deployment: readDeployment(PACKAGE_ROOT),
    authenticator: createSingleCallerAuthenticator(options.token, onlyCaller(options)),
    finder: anyCredential(sources),
    observers: [runs],
    ledger: runs,
    sources,
    functions: catalogs.functions,
    vendorClient: NO_DOOR,
    simulatedClient: openSimulatedClient(settings, clock, sources, (source) => failures.get(source) ?? null),
    leaseOf: NO_LEASES,
    budgets: NO_BUDGETS,
    adminApi: mockPages({ runs, sources, first, failures: () => failures, set: (given) => (failures = given) }),
    console: null,
    tellsErrors: false,
    notReady: () => [],
    warnings: () => [],
    drainFailures: () => 0,
    readings: {
      vendorCalls: () => [],
      functions: () => catalogs.functions.stats(),
      ledger: () => NO_JOURNAL,
      undrainedRuns: () => 0,
      damagedRuns: () => 0,
      shadowRuns: () => new Map(),
      sourceDrift: () => [],
      slowSources: () => [],
      unreadableDataKeys: () => 0,
      droppedLogLines: log.droppedLines,
      spans: () => ({ sent: 0, dropped: 0 }),
      budgets: () => [],
    },
  });
  opened.defer(() => stop({ drainMs: settings.limits.drainMs, graceMs: GRACE_MS }));
  const parts = opened.move();
  return {
    ...service,
    reportStray: (thrown) =>
      log.error({ event: "stray_error", cause: causeOf(thrown) }, "something failed outside of any run"),
    close: () => parts.disposeAsync(),
  };
}

/** Takes limits, region and catalog from the project's config file, and ignores its store settings. */
async function mockSettings({ host, port, adminPort, project }: MockOptions, dataDir: string): Promise<Settings> {
  const given = { host, "admin-host": host, port: String(port), "admin-port": String(adminPort), "data-dir": dataDir };
  const settings = await readSettingsOf(project, given, {});
  return {
    ...settings,
    demo: false,
    // Simulated runs reserve half of the slots for real runs, of which a mock has none.
    limits: { ...settings.limits, runsPerOrganization: 2 * settings.limits.runsPerOrganization },
    // A project without catalog sources gets all of them in a mock.
    catalog: settings.catalog.length === 0 ? ["*"] : settings.catalog,
  };
}

function onlyCaller({ workflow, failureDetails }: MockOptions): Caller & { readonly tokenId: string } {
  // The id is constant, so that tests can compare whole answers.
  const organizationId = `${PREFIX.organization}mock`;
  return {
    organizationId,
    tokenId: `${PREFIX.token}mock`,
    workflow: {
      ...PLAIN_WORKFLOW,
      id: workflow,
      organizationId,
      autoCredentials: true,
      failureDetails,
      simulated: true,
    },
  };
}

/** Simulated calls use another client, and all calls of a mock are simulated. */
const NO_DOOR: VendorClient = {
  httpFor() {
    throw new Error("a mock calls no vendor");
  },
};

/** Only real calls have shared limits. */
const NO_LEASES: Leases = () => {
  throw new Error("a mock shares no limits");
};

const NO_BUDGETS: Budgets = { find: async () => null };

const NO_JOURNAL = {
  unavailable: null,
  pendingRecords: 0,
  lagMs: 0,
  journalBytes: 0,
  journalBytesMax: 0,
  journalDaysLeft: null,
  damageMet: 0,
};

function withTimeout({ find }: SourceCatalog, timeoutMs: number | undefined): SourceCatalog {
  if (timeoutMs === undefined) return { find };
  return {
    find(id) {
      const source = find(id);
      return source && { ...source, timeoutMs: Math.min(timeoutMs, source.timeoutMs) };
    },
  };
}
