import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { givePlaces } from "../http/give-places.ts";
import { takeOneByOne } from "../http/one-by-one.ts";
import { ADMIN_CONNECTIONS_MAX, createAdminServer } from "../operate/admin-server.ts";
import { createMetrics, type Metrics } from "../operate/metrics.ts";
import { CALLS_QUOTA, createLogQuota, MESSAGES_QUOTA } from "../operate/log-quota.ts";
import { createRunLog } from "../operate/run-log.ts";
import { ByteBudget } from "../terms/byte-budget.ts";
import { settledWithin } from "../terms/within.ts";
import { createPublicEdge, type PublicEdge } from "./edge.ts";
import { heldBytesByDefault } from "./memory-limit.ts";
import { createRuns, type Runs } from "./runs.ts";
import { readSelf, type SelfKnowledge } from "./service-state.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface Service extends SelfKnowledge, Pick<Runs, "watchCalls"> {
  readonly url: string;
  readonly adminUrl: string;
  /** Every metric, for one more reader than the metrics page. */
  readonly openMetrics: Metrics["open"];
  /**
   * Stops accepting, lets requests finish within the grace period, then closes the rest. Resolves once all are
   * answered.
   */
  stop(graceMs: number): Promise<void>;
}

/** Puts the parts together, in the order in which a request uses them, and listens. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { settings, clock, adminApi } = parts;
  let stopping = false;
  const budget = new ByteBudget(settings.limits.heldBytes || heldBytesByDefault());
  const metrics = createMetrics(
    (id) => parts.sources.find(id) !== undefined,
    {
      ...parts.readings,
      isReady: () => notReady().length === 0,
      runsUnderWay: () => runs.admission.running,
      heldBytes: () => budget.heldBytes,
      connections: () => ({ open: publicEdge.edge.openConnections(), dropped: publicEdge.dropped() }),
      openBreakers: () => runs.openBreakers().length,
      failedLogins: () => adminApi?.failedLogins() ?? 0,
    },
    clock,
  );
  const quotas = {
    messages: createLogQuota("messages", MESSAGES_QUOTA, parts.log, clock),
    calls: createLogQuota("calls", CALLS_QUOTA, parts.log, clock),
  };
  const observers = [createRunLog(parts.log, quotas.calls), metrics, ...parts.observers];
  const runs: Runs = createRuns(parts, observers, quotas.messages);
  const publicEdge: PublicEdge = createPublicEdge(parts, runs, budget, metrics, () => stopping);
  const notReady = () => (stopping ? ["shutting down"] : parts.notReady());
  const admin = createAdminServer({
    metrics,
    notReady,
    warnings: parts.warnings,
    pages: parts.adminPages,
    api: adminApi,
    console: parts.console,
  });
  takeOneByOne(admin);
  givePlaces(admin, ADMIN_CONNECTIONS_MAX, publicEdge.adminDropped);

  const { edge } = publicEdge;
  const url = await listen(edge, settings.port, settings.host);
  const adminUrl = await listen(admin, settings.adminPort, settings.adminHost).catch(async (error: unknown) => {
    // A start that has failed keeps no port: `datarun dev` starts again with the settings from before.
    const closed = edge.stopListening();
    edge.closeAllConnections();
    await closed;
    publicEdge.close();
    throw error;
  });

  return {
    url,
    adminUrl,
    ...readSelf(parts, runs, metrics, notReady),
    watchCalls: runs.watchCalls,
    openMetrics: metrics.open,
    async stop(graceMs) {
      stopping = true;
      const endAt = clock.now() + graceMs;
      const closed = edge.stopListening();
      const idle = runs.admission.stop();
      const verbsEnded = adminApi?.stop() ?? Promise.resolve();
      runs.endWaitsForOrders();
      if (!(await settledWithin(clock, graceMs, idle))) {
        runs.endCalls();
        if (!(await settledWithin(clock, ANSWER_LEFT_MS, idle))) await parts.functions.close();
        await settledWithin(clock, ANSWER_LEFT_MS, idle);
      }
      // The last answer begins in this turn. A client that reads slowly has the rest of the grace period.
      await settledWithin(clock, Math.max(0, endAt - clock.now()), verbsEnded);
      await new Promise(setImmediate);
      await settledWithin(clock, Math.max(0, endAt - clock.now()), edge.whenWritten());
      edge.closeIdleConnections();
      if (!(await settledWithin(clock, CLOSE_LEFT_MS, closed))) edge.closeAllConnections();
      await Promise.all([closed, endAtOnce(admin)]);
      publicEdge.close();
      for (const quota of Object.values(quotas)) quota.close();
      metrics.close();
    },
  };
}

/** After the grace period: time to answer requests that were ended, and to send the answers. */
const ANSWER_LEFT_MS = 1_000;
const CLOSE_LEFT_MS = 500;

/** Returns its address. */
async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return urlOf(server.address() as AddressInfo);
}

function endAtOnce(server: HttpServer): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
