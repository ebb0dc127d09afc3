import { createApp, ROUTES } from "../http/app.ts";
import type { DropReason, RefusalObserver, RefusedRequest } from "../http/ports.ts";
import { createPublicServer, type PublicServer } from "../http/server.ts";
import { createLineLimit } from "../operate/line-limit.ts";
import type { Log } from "../operate/log.ts";
import type { Metrics } from "../operate/metrics.ts";
import { causeOf } from "../operate/run-log.ts";
import { createTally } from "../operate/tally.ts";
import { watchFiles } from "../operate/watch-files.ts";
import { RUN_BYTES_MAX } from "../run/envelope.ts";
import type { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import type { Clock } from "../terms/time/clock.ts";
import { FAULTS, type RequestFaultCode } from "../terms/fault.ts";
import { newId } from "../terms/ids.ts";
import { defaultConnections } from "./default-limits.ts";
import type { Runs } from "./runs.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface PublicPort {
  readonly server: PublicServer;
  /** Connections closed without an answer since the start. */
  dropped(): number;
  /** Called when the admin port has refused a connection. */
  adminDropped(reason: DropReason): void;
  close(): void;
}

/** The public server, not yet listening: the routes over the runs, and how refused requests are logged and counted. */
export function createPublicPort(
  parts: ServiceParts,
  runs: Runs,
  budget: ByteBudget,
  metrics: Metrics,
  isStopping: () => boolean,
): PublicPort {
  const { limits, overloadStatus } = parts.settings;
  const refused = watchRefusals(parts.log, parts.clock, metrics);
  const newRequestId = () => newId("request", parts.clock.wall());
  const app = createApp({
    authenticator: parts.authenticator,
    bodyBytesMax: limits.bodyBytes,
    overloadStatus,
    offers: { startData: runs.startData, startFunction: runs.startFunction, deployment: parts.deployment },
    budget,
    requestMemoryBytesMax: 2 * limits.bodyBytes + RUN_BYTES_MAX,
    clock: parts.clock,
    newRequestId,
    observer: refused,
    isStopping,
  });
  const server = createPublicServer(
    app,
    {
      requestTimeoutMs: limits.expert.requestTimeoutMs,
      keepAliveTimeoutMs: limits.keepAliveMs,
      writeTimeoutMs: limits.expert.writeTimeoutMs,
      bodyBytesMax: limits.bodyBytes,
      connectionsMax: limits.expert.connections || defaultConnections(),
    },
    refused,
    newRequestId,
  );
  return { server, dropped: refused.droppedCount, adminDropped: refused.adminDropped, close: refused.close };
}

const PATHS: ReadonlySet<string> = new Set(ROUTES.map(({ path }) => path));

interface RefusalWatch extends RefusalObserver {
  droppedCount(): number;
  adminDropped(reason: DropReason): void;
  close(): void;
}

/** The status is 500 although the request is at fault, so it must not alert. */
const CALLERS_FAULT = "request.no_sources";

function levelOf(code: RequestFaultCode): "error" | "info" {
  return FAULTS[code].status >= 500 && code !== CALLERS_FAULT ? "error" : "info";
}

/**
 * Logs and counts requests that got an error or no answer. Clients can cause them at any rate, so their log lines are
 * limited.
 */
function watchRefusals(log: Log, clock: Clock, metrics: Metrics): RefusalWatch {
  const refusals = createLineLimit<RequestFaultCode>(
    (code, count) => log[levelOf(code)]({ event: "refused", code, count }),
    clock,
  );
  const drops = createTally<DropReason | "no_files">(
    (reason, count) => log.warn({ event: "connections_dropped", reason, count }),
    clock,
  );
  const adminDrops = createTally<DropReason>(
    (reason, count) => log.warn({ event: "admin_connections_dropped", reason, count }),
    clock,
  );
  const stopWatching = watchFiles(() => drops.note("no_files"), clock);
  let dropped = 0;
  return {
    dropped(reason) {
      dropped += 1;
      drops.note(reason);
    },
    refused(request) {
      const { path, fault } = request;
      metrics.refused(path, fault);
      const code = fault.code as RequestFaultCode;
      log[refusals.admits(code) ? levelOf(code) : "debug"](lineOf(request));
    },
    droppedCount: () => dropped,
    adminDropped: adminDrops.note,
    close() {
      stopWatching();
      for (const tally of [refusals, drops, adminDrops]) tally.close();
    },
  };
}

function lineOf({ requestId, path, fault, clientRequestId = null, trace = null }: RefusedRequest) {
  return {
    event: "refused",
    request_id: requestId,
    ...(clientRequestId === null ? {} : { client_request_id: clientRequestId }),
    ...(trace === null ? {} : { trace_id: trace.traceId }),
    // Another path is text from the client, of any length.
    path: PATHS.has(path) ? path : "(other)",
    code: fault.code,
    detail: fault.detail,
    ...(fault.code === "request.unexpected" ? { cause: causeOf(fault.cause) } : {}),
  };
}
