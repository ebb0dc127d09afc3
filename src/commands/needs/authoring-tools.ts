import { existsSync } from "node:fs";
import type { AuthoringTools } from "../../admin/authoring/ports.ts";
import { readDeployment } from "../../composition/deployment.ts";
import { createLiveVendors } from "../../composition/live-vendors.ts";
import { openVendorDoor } from "../../composition/open-doors.ts";
import { createDoor, type OutboundDoor } from "../../outbound/door.ts";
import type { LoadedSources } from "../../project/load-sources.ts";
import type { Budgets } from "../../run/ports.ts";
import { PACKAGE_ROOT } from "../../project/package-root.ts";
import { readSettingsOf } from "../../project/config-file.ts";
import { compileDeclarative } from "../../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../../sources/runnable.ts";
import { createSchemas } from "../../terms/author-schemas.ts";
import { systemClock } from "../../terms/clock.ts";

export type OpenedAuthoringTools = AuthoringTools & { close(): void };

export interface AuthoringPlace {
  readonly project: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly loaded: LoadedSources;
  budgets(): Promise<Budgets>;
}

/** What writing and testing sources needs. The client for real vendors is opened only when a vendor is called. */
export function openAuthoringTools({ project, environment, loaded, budgets }: AuthoringPlace): OpenedAuthoringTools {
  const casesDoor = createDoor({ clock: systemClock });
  let asking: Promise<AuthoringTools["askLive"]> | undefined;
  let opened: OutboundDoor | undefined;
  const openLive = async () => {
    const known = project !== undefined && existsSync(project) ? project : undefined;
    const settings = await readSettingsOf(known, {}, environment);
    opened = openVendorDoor(settings, systemClock);
    return createLiveVendors(opened, settings.region, systemClock, budgets);
  };
  return {
    project,
    problems: loaded.problems.map(({ message }) => message),
    cases: { door: casesDoor, clock: systemClock },
    fileOf(id) {
      const found = loaded.all.get(id);
      return found === undefined ? undefined : { path: found.file, from: found.from };
    },
    version: () => readDeployment(PACKAGE_ROOT).gitDerivedVersion,
    compile: (text, file) => toRunnable(compileDeclarative(text, file), createSchemas(), "now"),
    askLive: async (question) => (await (asking ??= openLive()))(question),
    close() {
      casesDoor.close();
      opened?.close();
    },
  };
}
