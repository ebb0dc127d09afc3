import type { AdminApi } from "../admin-api/admin-api.ts";
import type { Log } from "../operate/log.ts";
import type { ServiceForVerbs } from "./verb-needs.ts";

export interface AdminApiPlace extends ServiceForVerbs {
  readonly log: Log;
}

/** The admin API of a service. Most services are never asked, so it is loaded for the first request. */
export function openAdminApi(place: AdminApiPlace): AdminApi {
  let opening: Promise<AdminApi> | undefined;
  let opened: AdminApi | undefined;
  const open = async (): Promise<AdminApi> => (opened = await (opening ??= load(place)));
  return {
    handle: async (request, response) => (await open()).handle(request, response),
    failedLogins: () => opened?.failedLogins() ?? 0,
    stop: async () => (await opening)?.stop(),
  };
}

async function load(place: AdminApiPlace): Promise<AdminApi> {
  const [{ createAdminApi }, { openVerbNeeds }, { findVerbs }] = await Promise.all([
    import("../admin-api/admin-api.ts"),
    import("./verb-needs.ts"),
    import("../admin/find-verbs.ts"),
  ]);
  const needs = openVerbNeeds(place);
  const api = createAdminApi({
    verbs: findVerbs(),
    hosts: place.settings.adminHosts,
    console: place.settings.console,
    store: place.keyed.store.admin,
    sessions: place.keyed.store.sessions,
    clock: place.clock,
    log: place.log,
    needs: needs.given,
  });
  return {
    ...api,
    async stop() {
      await api.stop();
      needs.close();
    },
  };
}
