import { existsSync } from "node:fs";
import type { AuthoringTools } from "../../admin/authoring/ports.ts";
import { toAuthoringTools } from "../../composition/authoring-tools.ts";
import { createLiveVendors } from "../../composition/live-vendors.ts";
import { openVendorDoor } from "../../composition/open-doors.ts";
import { createDoor, type OutboundDoor } from "../../outbound/door.ts";
import type { LoadedSources } from "../../project/load-sources.ts";
import { readSettingsOf } from "../../project/config-file.ts";
import type { Budgets } from "../../run/around/ports.ts";
import { systemClock } from "../../terms/clock.ts";

export type OpenedAuthoringTools = AuthoringTools & { close(): void };

export interface AuthoringPlace {
  readonly project: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly loaded: LoadedSources;
  budgets(): Promise<Budgets>;
}

/** The tools of one command. The client for real vendors is opened at the first call. */
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
  const tools = toAuthoringTools({
    project,
    loaded,
    cases: { door: casesDoor, clock: systemClock },
    askLive: async (question) => (await (asking ??= openLive()))(question),
  });
  return {
    ...tools,
    close() {
      casesDoor.close();
      opened?.close();
    },
  };
}
