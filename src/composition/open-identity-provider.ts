import type { AdminApiParts } from "../admin-api/admin-api.ts";
import { createIdentityProvider } from "../admin-api/identity-provider/identity-provider.ts";
import type { Log } from "../operate/log.ts";
import { Trust } from "../outbound/sockets/trust.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/clock.ts";
import { readAuthorities } from "./open-doors.ts";

export interface ProviderPlace {
  readonly settings: Pick<Settings, "oidc" | "outbound">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The identity provider of the settings. It is called first when a person logs in. */
export function openIdentityProvider({ settings, clock, log }: ProviderPlace): AdminApiParts["provider"] {
  const { issuer, clientId, ...claims } = settings.oidc;
  if (issuer === undefined || clientId === undefined) return null;
  const client = createIdentityProvider({
    settings: { ...claims, issuer, clientId },
    clock,
    log,
    trust: () => new Trust(readAuthorities(settings.outbound.caFile)).contextFor(undefined),
  });
  return { client, claims };
}
