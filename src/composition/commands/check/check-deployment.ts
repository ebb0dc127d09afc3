import { resolve } from "node:path";
import { openVendorClient } from "../../open-vendor-clients.ts";
import { projectOf } from "../../../project/config-file.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { reasonOf } from "../reason-of.ts";
import type { SettingOptions } from "../setting-options.ts";
import { checkConnections, checkIdentityProvider } from "./check-connections.ts";
import { checkDataDir } from "./check-data-dir.ts";
import { checkProduction } from "./check-production.ts";
import { checkProject } from "./check-project.ts";
import { checkHosts, checkSettings } from "./check-settings.ts";
import { checkCredentials, checkRootKeys, checkStore } from "./check-store.ts";
import { compareWithStore } from "./check-versions.ts";
import type { Disk } from "./disk.ts";
import { CheckReport } from "./findings.ts";

export interface CheckOptions {
  /** The settings of the command line. */
  readonly given: SettingOptions;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly current: string;
  readonly production: boolean;
  readonly connect: boolean;
  /** Whether functions and sources are compared with the versions last registered in the store. */
  readonly againstStore: boolean;
  readonly clock: Clock;
  readonly disk: Disk;
}

/**
 * Checks a deployment with the code of a start, without creating, migrating, sending or listening. A service may run on
 * it meanwhile.
 */
export async function checkDeployment(options: CheckOptions): Promise<CheckReport> {
  const { given, environment, current, clock } = options;
  const report = new CheckReport();
  const project = projectOf(given, environment, current);
  report.facts["project"] = project ?? "none";
  const settings = await checkSettings(project, given, environment, report);
  if (settings === null) return report;
  await using closing = new AsyncDisposableStack();
  await checkHosts(settings, report);
  await checkIdentityProvider(settings, clock, options.connect, report);
  const dataDir = resolve(settings.dataDir);
  const sources = await checkProject(settings, dataDir, report);
  const canOpen = checkDataDir(settings, dataDir, options.disk, report);
  const hasKeys = (await checkRootKeys(settings, canOpen ? dataDir : null, clock, report)) && canOpen;
  const store = hasKeys ? await checkStore(settings, dataDir, clock, report) : null;
  if (store !== null && store !== "none yet") {
    closing.defer(() => store.close());
    await checkCredentials(store, sources, settings.region, report);
  }
  const parts = { settings, environment, dataDir, hasKeys, sources, store, clock };
  if (options.againstStore && store !== null) await compareWithStore(store, sources, report);
  if (options.production) await checkProduction(parts, report);
  try {
    const door = closing.adopt(openVendorClient(settings, clock), (it) => it.close());
    if (options.connect) await checkConnections(door, sources, report);
  } catch (error) {
    report.add("settings.invalid", reasonOf(error));
  }
  return report;
}
