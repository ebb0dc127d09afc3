import type { AdminApiParts } from "../admin/http/admin-api.ts";
import { createIdentityProvider } from "../admin/http/identity-provider/identity-provider.ts";
import type { Log } from "../operate/log.ts";
import { Trust } from "../outbound/sockets/trust.ts";
import type { Settings } from "../settings/settings.ts";
import type { Clock } from "../terms/time/clock.ts";
import { readAuthorities } from "./open-vendor-clients.ts";

export interface ProviderOptions {
  readonly settings: Pick<Settings, "oidc" | "outbound">;
  readonly clock: Clock;
  readonly log: Log;
}

/** The identity provider of the settings. It is called first when a person logs in. */
export function openIdentityProvider({ settings, clock, log }: ProviderOptions): AdminApiParts["provider"] {
  const { issuer, clientId, clientSecret: _, ...claims } = settings.oidc;
  if (issuer === undefined || clientId === undefined) return null;
  const client = createIdentityProvider({
    settings: { ...claims, issuer, clientId, clientSecret: () => settings.oidc.clientSecret },
    clock,
    log,
    trust: () => new Trust(readAuthorities(settings.outbound.caFile)).contextFor(undefined),
    proxy: () => (isThisMachine(issuer) ? undefined : settings.outbound.proxy),
  });
  return { client, claims };
}

/** An egress proxy cannot reach a provider on this machine. */
function isThisMachine(issuer: string): boolean {
  return ["localhost", "127.0.0.1", "[::1]"].includes(new URL(issuer).hostname);
}
