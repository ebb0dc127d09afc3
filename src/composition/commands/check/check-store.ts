import { join } from "node:path";
import type { StoredCredential } from "../../../admin/ports.ts";
import { STORE_WAIT_MS } from "../../open-proven-store.ts";
import { proveRootKeys } from "../../../credentials/prove-root-keys.ts";
import { RootKeyFiles } from "../../../credentials/root-key-files.ts";
import { configuredRootKeys, readRootKeys } from "../../../credentials/root-key-ring.ts";
import { usedJournal } from "../../../ledger/journal/used-journal.ts";
import type { Settings } from "../../../settings/settings.ts";
import { openStore, type Store, StoreMissing, StoreOlder } from "../../../storage/store.ts";
import { regionFault } from "../../../terms/fault.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { settledWithin } from "../../../terms/time/within.ts";
import { unwrapRootKeys } from "../../unwrap-root-keys.ts";
import { reasonOf } from "../reason-of.ts";
import type { CheckedSources } from "./check-project.ts";
import type { CheckReport } from "./findings.ts";

/**
 * Opens the store for reading, so that none is created or migrated, and checks the root keys against it. Returns `null`
 * if the store could not be opened. The caller closes it.
 */
export async function checkStore(
  settings: Settings,
  dataDir: string,
  clock: Clock,
  report: CheckReport,
): Promise<Store | "none yet" | null> {
  const { databaseUrl } = settings;
  const place = databaseUrl === undefined ? "embedded" : "shared";
  let store: Store | undefined;
  try {
    const used = usedJournal(join(dataDir, "ledger"));
    store = await openStore({ dataDir, databaseUrl, clock, opening: "look", usedJournal: used });
    const ready = store.ready();
    if (!(await settledWithin(clock, STORE_WAIT_MS, ready))) {
      report.add("store.unreachable", store.health().says ?? "The shared database does not answer.");
      await store.close();
      return null;
    }
    await ready;
  } catch (error) {
    await store?.close();
    if (error instanceof StoreMissing) {
      report.facts["store"] = `${place}, none yet: the first start creates it`;
      return "none yet";
    }
    report.add(error instanceof StoreOlder ? "store.not_migrated" : "store.refused", reasonOf(error));
    return null;
  }
  report.facts["store"] = place;
  await checkKeys(settings, dataDir, clock, store, report);
  return store;
}

/**
 * Reads this process's root keys before a store is opened, as a start does.
 * @param dataDir `null` if it cannot contain key files
 */
export async function checkRootKeys(
  settings: Settings,
  dataDir: string | null,
  clock: Clock,
  report: CheckReport,
): Promise<boolean> {
  const { databaseUrl } = settings;
  try {
    configuredRootKeys(await unwrapRootKeys(settings, clock), databaseUrl !== undefined);
    // An unusable key file stops a start even if its key is not needed.
    if (databaseUrl === undefined && dataDir !== null) new RootKeyFiles(dataDir).read();
    return true;
  } catch (error) {
    report.add("keys.refused", reasonOf(error));
    return false;
  }
}

async function checkKeys(
  settings: Settings,
  dataDir: string,
  clock: Clock,
  { keys }: Store,
  report: CheckReport,
): Promise<void> {
  const directory = settings.databaseUrl === undefined ? dataDir : null;
  try {
    const rootKey = await unwrapRootKeys(settings, clock);
    // The first start creates a root key file; a check creates none.
    const isFirst =
      directory !== null && (rootKey?.trim() ?? "") === "" && new RootKeyFiles(directory).read().length === 0;
    if (isFirst && (await keys.rootKeyIdsInUse()).length === 0) return;
    const ring = await readRootKeys({ variable: rootKey, directory, store: keys });
    const { unreadable, dataKeys } = await proveRootKeys(ring, keys);
    if (unreadable > 0) report.add("keys.unreadable", `${unreadable} of ${dataKeys} data keys cannot be opened`);
  } catch (error) {
    report.add("keys.refused", reasonOf(error));
  }
}

/** Reports stored credentials that no run of this deployment can use. */
export async function checkCredentials(
  { admin }: Store,
  { all, on }: CheckedSources,
  region: string,
  report: CheckReport,
): Promise<void> {
  for (const { id: organization, disabled } of await admin.organizations()) {
    if (disabled) continue;
    const credentials = (await admin.credentials({ organizationId: organization })).filter(
      (credential) => !credential.disabled,
    );
    const bySource = Map.groupBy(credentials, ({ source }) => source);
    for (const [source, ofSource] of bySource) {
      const ids = `${ofSource.map(({ id }) => id).join(", ")} of ${organization}`;
      if (!all.has(source)) report.add("credential.names_nothing", `${ids}: there is no source ${source}`);
      else if (!on.has(source)) report.add("credential.names_nothing", `${ids}: the source ${source} is off`);
      else if (ofSource.every((credential) => isRefused(credential, region)))
        report.add("credential.region_refused", `${ids}: for ${source}, but not in the region ${region}`);
    }
  }
}

function isRefused({ regions }: StoredCredential, region: string): boolean {
  return regionFault("the credential", regions, region) !== null;
}
