import { createApp, ROUTES } from "../http/app.ts";
import type { DropReason, EdgeObserver } from "../http/ports.ts";
import { createEdge, PIPELINING, type Edge } from "../http/server.ts";
import type { Log } from "../operate/log.ts";
import type { Metrics } from "../operate/metrics.ts";
import { causeOf } from "../operate/run-log.ts";
import { createTally } from "../operate/tally.ts";
import { watchFiles } from "../operate/watch-files.ts";
import { RUN_BYTES_MAX } from "../run/envelope.ts";
import type { ByteBudget } from "../terms/byte-budget.ts";
import type { Clock } from "../terms/clock.ts";
import { FAULTS, type RequestFaultCode } from "../terms/fault.ts";
import { connectionsByDefault } from "./connections-limit.ts";
import type { Runs } from "./runs.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface PublicEdge {
  readonly edge: Edge;
  /** Connections closed without an answer since the start. */
  dropped(): number;
  close(): void;
}

/** The public port, not listening yet: routes over the runs, and what is said of requests that became none. */
export function createPublicEdge(
  parts: ServiceParts,
  runs: Runs,
  budget: ByteBudget,
  metrics: Metrics,
  isStopping: () => boolean,
): PublicEdge {
  const { limits, overloadStatus } = parts.settings;
  const refused = watchRefusals(parts.log, parts.clock, metrics);
  const app = createApp({
    authenticator: parts.authenticator,
    bodyLimits: {
      bodyBytesMax: limits.bodyBytes,
      depthMax: limits.jsonDepth,
      keysPerObjectMax: limits.keysPerObject,
    },
    overloadStatus,
    offers: { startData: runs.startData, startFunction: runs.startFunction, deployment: parts.deployment },
    budget,
    heldBytesMax: 2 * limits.bodyBytes + RUN_BYTES_MAX,
    clock: parts.clock,
    observer: refused,
    isStopping,
  });
  const edge = createEdge(
    app,
    {
      headerBytesMax: limits.headerBytes,
      headersMax: limits.headers,
      headersTimeoutMs: limits.headersTimeoutMs,
      requestTimeoutMs: limits.requestTimeoutMs,
      keepAliveTimeoutMs: limits.keepAliveMs,
      writeTimeoutMs: limits.writeTimeoutMs,
      ...PIPELINING,
      bodyBytesMax: limits.bodyBytes,
      connectionsMax: limits.connections || connectionsByDefault(),
    },
    refused,
  );
  return { edge, dropped: refused.droppedCount, close: refused.close };
}

const PATHS: ReadonlySet<string> = new Set(ROUTES.map(({ path }) => path));
/** Refusals by which an operator sees that somebody is trying, or has got something wrong; with all of the service's own. */
const SEEN: ReadonlySet<string> = new Set(["request.unauthenticated"]);

interface RefusalWatch extends EdgeObserver {
  droppedCount(): number;
  close(): void;
}

/** The status of this one is 500, but the request is at fault: nobody is to be woken for it. */
const CALLERS_FAULT = "request.no_sources";

function isForOperator(code: RequestFaultCode): boolean {
  return FAULTS[code].status >= 500 && code !== CALLERS_FAULT;
}

/** Logs and counts what was answered without a run, or not answered. What anybody can cause as often as he likes is summed up. */
function watchRefusals(log: Log, clock: Clock, metrics: Metrics): RefusalWatch {
  const refusals = createTally<RequestFaultCode>(
    (code, count) => log[isForOperator(code) ? "error" : "info"]({ event: "refused", code, count }),
    clock,
  );
  const drops = createTally<DropReason | "no_files">(
    (reason, count) => log.warn({ event: "connections_dropped", reason, count }),
    clock,
  );
  const files = watchFiles(() => drops.note("no_files"), clock);
  let dropped = 0;
  return {
    dropped(reason) {
      dropped += 1;
      drops.note(reason);
    },
    refused(path, fault) {
      metrics.refused(path, fault);
      const isOurs = fault.code === "request.unexpected";
      if (SEEN.has(fault.code) || (fault.row.status >= 500 && !isOurs)) refusals.note(fault.code as RequestFaultCode);
      log[isOurs ? "error" : "debug"]({
        event: "refused",
        // Any other is the caller's own words, of any length.
        path: PATHS.has(path) ? path : "(other)",
        code: fault.code,
        detail: fault.detail,
        ...(isOurs ? { cause: causeOf(fault.cause) } : {}),
      });
    },
    droppedCount: () => dropped,
    close() {
      files.close();
      for (const tally of [refusals, drops]) tally.close();
    },
  };
}
