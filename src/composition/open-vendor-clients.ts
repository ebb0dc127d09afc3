import { readFileSync } from "node:fs";
import { cannotReadFile, ConfigError } from "../settings/config-error.ts";
import type { Settings } from "../settings/settings.ts";
import { defaultIdleConnections, defaultVendorSockets } from "./default-limits.ts";
import { createOutboundClient, type OutboundClient } from "../outbound/http-client.ts";
import { outboundLimits } from "../outbound/outbound-limits.ts";
import { createSimulatedClient } from "../outbound/simulated-client.ts";
import { VendorReply } from "../outbound/exchange/vendor-reply.ts";
import { faultOfStatus } from "../outbound/exchange/vendor-fault.ts";
import type { VendorClient, SourceCatalog } from "../run/ports.ts";
import type { ReplyEvaluation } from "../simulation/ports.ts";
import { createSimulatedVendors, type UsualFailures } from "../simulation/simulated-vendors.ts";
import type { Clock } from "../terms/time/clock.ts";

/** The only outbound client for real vendors, with the limits of the settings. @throws ConfigError */
export function openVendorClient(settings: Settings, clock: Clock): OutboundClient {
  const { privateOrigins, traceOrigins, proxy, caFile } = settings.outbound;
  const extraAuthorities = readAuthorities(caFile);
  try {
    return createOutboundClient({
      clock,
      limits: {
        ...outboundLimits(settings.limits),
        idleMax: defaultIdleConnections(),
        socketsMax: defaultVendorSockets(),
      },
      allowPrivate: privateOrigins,
      traced: traceOrigins,
      proxy,
      rereadProxy: () => settings.outbound.proxy,
      extraAuthorities,
    });
  } catch (error) {
    throw new ConfigError(`outbound: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The outbound client for calls of simulated workflows: requests and replies are handled as by the real one, but
 * without a network.
 */
export function openSimulatedClient(
  settings: Settings,
  clock: Clock,
  sources: SourceCatalog,
  usual?: UsualFailures,
): VendorClient {
  const player = createSimulatedVendors(clock, (id) => sources.find(id) !== undefined, usual);
  return createSimulatedClient({ clock, vendors: player, limits: outboundLimits(settings.limits) });
}

/** How the real outbound client reads a vendor's reply. */
export function replyReading(settings: Settings): ReplyEvaluation {
  const limits = outboundLimits(settings.limits);
  return {
    makeReply: (status, headers, bytes) => new VendorReply(status, headers, bytes, limits, null),
    faultOfStatus,
  };
}

/** @throws ConfigError if it cannot be read */
export function readAuthorities(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw cannotReadFile("outbound.ca_file", file, error);
  }
}
