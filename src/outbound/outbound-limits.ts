import { readSettings } from "../settings/read-settings.ts";
import type { Settings } from "../settings/settings.ts";
import { JSON_LIMITS } from "../terms/json/json.ts";

/** Limits on the resources that calls to vendors use. `docs/reference/limits.md` says what happens beyond each. */
export interface OutboundLimits {
  /** Connections to one origin, and so simultaneous requests. Organizations share them: one alone gets half. */
  readonly connectionsMax: number;
  /** Requests that may wait for a connection, shared in the same way. */
  readonly waitingMax: number;
  /** The longest wait for a connection; a tenth of the source's timeout if that is less. */
  readonly waitMaxMs: number;
  /** Of a reply, as it is sent and after decoding. */
  readonly decodedBytesMax: number;
  readonly depthMax: number;
  readonly keysPerObjectMax: number;
  /** Limits the header block of a reply, and the header fields that an author may send. */
  readonly headerBytesMax: number;
  /** Name lookup, TCP, proxy and TLS together. */
  readonly connectMaxMs: number;
  readonly lookupMaxMs: number;
  readonly lookupCacheMs: number;
  /** How long an idle connection is kept: less than the five seconds after which many vendors close it. */
  readonly keepAliveMs: number;
  /** Idle connections kept, over all origins. Organizations share the number, but never a connection. */
  readonly idleMax: number;
  /** Connections that are in use or being opened, over all origins. Organizations share their number. */
  readonly socketsMax: number;
  /** Connection pools, one for each origin and client certificate. Beyond it, an idle pool is closed. */
  readonly poolsMax: number;
}

const FIXED = {
  waitMaxMs: 1_000,
  depthMax: JSON_LIMITS.depthMax,
  keysPerObjectMax: 25_000,
  headerBytesMax: 16 * 1024,
  lookupMaxMs: 2_000,
  lookupCacheMs: 30_000,
  keepAliveMs: 4_000,
  idleMax: 512,
  socketsMax: 8_192,
  poolsMax: 1_000,
};

/** The limits from a deployment's settings. */
export function outboundLimits(limits: Settings["limits"]): OutboundLimits {
  return {
    ...FIXED,
    connectionsMax: limits.vendorConnections,
    waitingMax: limits.expert.vendorQueue,
    decodedBytesMax: limits.expert.replyDecodedBytes,
    connectMaxMs: limits.expert.vendorConnectMs,
  };
}

export const DEFAULT_LIMITS: OutboundLimits = outboundLimits(readSettings().limits);
