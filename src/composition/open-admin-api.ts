import type { AdminApi } from "../admin/http/admin-api.ts";
import type { LiveNow } from "../admin/http/live-event.ts";
import { loginKeyOf } from "../credentials/inline-scope.ts";
import { clientAddress } from "../admin/http/client-address.ts";
import type { Log } from "../operate/log.ts";
import type { ServiceForVerbs } from "./verb-needs/service-needs.ts";

export interface AdminApiOptions extends ServiceForVerbs {
  readonly log: Log;
  now(): LiveNow;
  /** How a person starts a command of this deployment. */
  program(): string;
}

/** The admin API of a service. Loaded at the first request, because most services receive none. */
export function openAdminApi(place: AdminApiOptions): AdminApi {
  let opening: Promise<AdminApi> | undefined;
  let opened: AdminApi | undefined;
  let isStopping = false;

  async function open(): Promise<AdminApi> {
    opened = await load(place);
    // A first request during the stop is refused like any other.
    if (isStopping) await opened.stop();
    return opened;
  }

  return {
    handle: async (request, response) => (await (opening ??= open())).handle(request, response),
    failedLogins: () => opened?.failedLogins() ?? 0,
    async stop() {
      isStopping = true;
      if (opened === undefined) await opening;
      else await opened.stop();
    },
  };
}

async function load(place: AdminApiOptions): Promise<AdminApi> {
  const [{ createAdminApi }, { openIdentityProvider }, { openVerbNeeds }, { findVerbs }] = await Promise.all([
    import("../admin/http/admin-api.ts"),
    import("./open-identity-provider.ts"),
    import("./verb-needs/service-needs.ts"),
    import("../admin/find-verbs.ts"),
  ]);
  const needs = openVerbNeeds(place);
  const api = createAdminApi({
    verbs: findVerbs(),
    hosts: place.settings.adminHosts,
    console: place.settings.console,
    provider: openIdentityProvider(place),
    loginKeys: place.keyed.rootKeys.all().map(loginKeyOf),
    addressOf: ({ socket }) => clientAddress(socket),
    store: place.keyed.store.admin,
    sessions: place.keyed.store.sessions,
    clock: place.clock,
    log: place.log,
    now: place.now,
    program: place.program(),
    needs: needs.needsFor,
  });
  return {
    ...api,
    async stop() {
      await api.stop();
      needs.close();
    },
  };
}
