import { join, resolve } from "node:path";
import { hasJournal } from "../../../ledger/journal/journal-file.ts";
import { reportUnavailable } from "../../../storage/report-unavailable.ts";
import { VARIABLES } from "../../../terms/variables.ts";
import type { NeedParts } from "../need-parts.ts";
import { unavailable, type DeploymentRef } from "./deployment-ref.ts";

const NO_PROJECT = `No project is named here, so that only the catalog is known: name it with --project or ${VARIABLES.project}.`;

/** The parts of a deployment for one command. Each is opened, and its code imported, when the verb first uses it. */
export function openCommandParts(deployment: DeploymentRef): NeedParts {
  const { settings, clock, reading, note, once, engine, store } = deployment;
  const { project, catalogs, dataDir, databaseUrl } = settings;
  const openSources = once(
    async () =>
      (await import("../../../project/open-catalogs.ts")).openSources(project, { catalogs, version: reading }),
    () => {},
  );
  const openFunctions = once(
    async () => (await import("../../../project/list-functions.ts")).openListedFunctions(project, dataDir),
    ({ close }) => close(),
  );
  const attachService = once(
    async () => {
      const { attachService } = await import("./attach-service.ts");
      return attachService({ dataDir, project, databaseUrl, clock, note }).catch(unavailable);
    },
    ({ close }) => close(),
  );
  const projectHint = project === undefined ? NO_PROJECT : undefined;
  async function adminStore() {
    const [opened, { createAdminStore }] = await Promise.all([engine(), import("../../../storage/admin-store.ts")]);
    return reportUnavailable(opened.engine, clock, createAdminStore(opened.engine));
  }
  return {
    settings,
    clock,
    note,
    adminStore,
    async keyedStore(adoptRootKey) {
      const opened = await store(adoptRootKey);
      return { ...opened, isSettled: async () => (await opened.proven.catch(unavailable)).settled };
    },
    ...ledgersAndBudgets(deployment),
    async sources() {
      const { isEnabled } = await import("../../../project/load-sources.ts");
      return { loaded: await openSources(), isOn: (source) => isEnabled(source, settings.catalog), projectHint };
    },
    async functions() {
      const { listing, problems } = await openFunctions();
      for (const { message } of problems) note(`A file cannot be used: ${message}`);
      return { ...listing, projectHint };
    },
    async storedVersions() {
      const { createStoredVersions } = await import("../../../project/stored-versions.ts");
      const functions = async () => (await openFunctions()).functions;
      return createStoredVersions({ store: await adminStore(), functions, clock });
    },
    vendorClient: once(
      async () => (await import("../../open-vendor-clients.ts")).openVendorClient(settings, clock),
      (client) => client.close(),
    ),
    casesClient: once(
      async () => (await import("../../../outbound/http-client.ts")).createOutboundClient({ clock }),
      (client) => client.close(),
    ),
    async backUp(request, onProgress) {
      const { backUp } = await import("../../../backup/back-up.ts");
      return backUp({ ...request, dir: resolve(request.dir) }, onProgress).catch(unavailable);
    },
    async runService() {
      const { url, isOwn } = await attachService();
      note(
        isOwn
          ? "No service runs on this data directory: one was started for this command."
          : `It runs in the service at ${url}, with the files that the service has loaded: "datarun start" loads a new file at its next start, "datarun dev" at once.`,
      );
      const { toRunService } = await import("../../run-service.ts");
      return toRunService(url);
    },
    state: () => null,
  };
}

function ledgersAndBudgets(deployment: DeploymentRef): Pick<NeedParts, "ledgers" | "budgets"> {
  const { settings, clock, once, store } = deployment;
  const dir = join(settings.dataDir, "ledger");
  const openJournal = once(
    async () => (await import("../../../ledger/read/journal-reader.ts")).openJournalReader({ dir }),
    (reader) => reader.close(),
  );
  const journal = () => openJournal().catch(unavailable);
  const shared = async () => {
    const { createLedgerReader } = await import("../../../ledger/read/ledger-reader.ts");
    return createLedgerReader((await store()).store.ledgerTables);
  };
  /** `null` before the first start of a service here. */
  const spent = async () => {
    if (settings.databaseUrl !== undefined) return shared();
    return hasJournal(dir) ? openJournal() : null;
  };
  return {
    ledgers: {
      hasJournal: () => hasJournal(dir),
      journal,
      shared,
      undrainedRuns: async () =>
        hasJournal(dir) ? (await journal()).undrained((await store()).store.ledgerTables) : 0,
    },
    budgets: once(
      async () => {
        const { openBudgetsForCommand } = await import("../../open-budgets.ts");
        return openBudgetsForCommand((await store()).store, clock, spent);
      },
      (budgets) => budgets.close(),
    ),
  };
}
