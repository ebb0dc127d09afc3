import { existsSync, readFileSync } from "node:fs";
import { list, number, optionalText, type Settings } from "./config.ts";
import { idleConnectionsByDefault } from "./connections-limit.ts";
import { createDoor, type OutboundDoor } from "./outbound/door.ts";
import { DEFAULT_LIMITS } from "./outbound/limits.ts";
import { createPlayedDoor } from "./outbound/played-door.ts";
import { VendorReply } from "./outbound/reply.ts";
import { faultOfStatus } from "./outbound/vendor-fault.ts";
import { createBeforeSend } from "./run/attempts.ts";
import type { Door } from "./run/ports.ts";
import type { ReplyReading } from "./simulation/ports.ts";
import { createSimulatedVendors } from "./simulation/simulated-vendors.ts";
import type { Clock } from "./terms/clock.ts";

/** The only way to real vendors, as the settings want it. */
export function openVendorDoor(settings: Settings, clock: Clock): OutboundDoor {
  return createDoor({
    clock,
    beforeSend: createBeforeSend(clock),
    limits: { ...outboundLimits(settings), idleMax: idleConnectionsByDefault() },
    allowPrivate: list(settings, "outbound.private_origins"),
    traced: list(settings, "outbound.trace_origins"),
    proxy: optionalText(settings, "outbound.proxy"),
    extraAuthorities: readAuthorities(optionalText(settings, "outbound.ca_file")),
  });
}

/** Where the calls of simulated workflows end: sent, read and judged as by the real door, with no network behind it. */
export function openSimulatedDoor(settings: Settings, clock: Clock): Door {
  return createPlayedDoor({ clock, player: createSimulatedVendors(clock), limits: outboundLimits(settings) });
}

/** How the real door reads a vendor's answer. */
export function replyReading(settings: Settings): ReplyReading {
  const limits = { depthMax: number(settings, "limits.json_depth"), keysPerObjectMax: DEFAULT_LIMITS.keysPerObjectMax };
  return {
    makeReply: (status, headers, bytes) => new VendorReply(status, headers, bytes, limits, null),
    faultOfStatus,
  };
}

function outboundLimits(settings: Settings) {
  return {
    connectionsMax: number(settings, "limits.vendor_connections"),
    waitingMax: number(settings, "limits.vendor_queue"),
    rawBytesMax: number(settings, "limits.reply_bytes"),
    decodedBytesMax: number(settings, "limits.reply_decoded_bytes"),
    depthMax: number(settings, "limits.json_depth"),
    connectMaxMs: number(settings, "limits.vendor_connect_ms"),
    lookupMaxMs: number(settings, "limits.vendor_dns_ms"),
  };
}

function readAuthorities(file: string | undefined): string | undefined {
  if (file === undefined) return undefined;
  if (!existsSync(file)) throw new Error(`outbound.ca_file: there is no file ${file}`);
  return readFileSync(file, "utf8");
}
