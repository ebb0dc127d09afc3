import { existsSync } from "node:fs";
import type { AuthoringTools } from "../../../admin/authoring/ports.ts";
import { toAuthoringTools } from "../authoring-tools.ts";
import { createLiveVendors } from "../../live-vendors.ts";
import { openVendorClient } from "../../open-vendor-clients.ts";
import { createOutboundClient, type OutboundClient } from "../../../outbound/http-client.ts";
import type { LoadedSources } from "../../../project/load-sources.ts";
import { readSettingsOf } from "../../../project/config-file.ts";
import type { Budgets } from "../../../run/middleware/ports.ts";
import { systemClock } from "../../../terms/time/clock.ts";

export type OpenedAuthoringTools = AuthoringTools & { close(): void };

export interface AuthoringOptions {
  readonly project: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly loaded: LoadedSources;
  budgets(): Promise<Budgets>;
}

/** The tools of one command. The client for real vendors is opened at the first call. */
export function openAuthoringTools({ project, environment, loaded, budgets }: AuthoringOptions): OpenedAuthoringTools {
  const casesDoor = createOutboundClient({ clock: systemClock });
  let asking: Promise<AuthoringTools["askLive"]> | undefined;
  let opened: OutboundClient | undefined;
  const openLive = async () => {
    const known = project !== undefined && existsSync(project) ? project : undefined;
    const settings = await readSettingsOf(known, {}, environment);
    opened = openVendorClient(settings, systemClock);
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
