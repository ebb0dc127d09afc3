import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createAdminServer } from "../operate/admin-server.ts";
import { createMetrics, type Metrics } from "../operate/metrics.ts";
import { CALLS_QUOTA, createLogQuota, MESSAGES_QUOTA } from "../operate/log-quota.ts";
import { createRunLog } from "../operate/run-log.ts";
import { ByteBudget } from "../terms/byte-budget.ts";
import type { PublicServer } from "../http/server.ts";
import type { Clock } from "../terms/clock.ts";
import { settledWithin } from "../terms/within.ts";
import { createPublicPort, type PublicPort } from "./public-port.ts";
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
   * Reports that it is not ready, and closes each connection with its next answer, while new runs are still accepted;
   * then refuses new connections, lets requests finish, and closes the rest. Resolves once all are answered.
   */
  stop(within: StopLimits): Promise<void>;
}

export interface StopLimits {
  /** How long new runs are accepted, so that whoever distributes requests can learn that there will be no more. */
  readonly drainMs: number;
  /** For all of it. */
  readonly graceMs: number;
}

/** Puts the parts together, in the order in which a request uses them, and listens. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { settings, clock, adminApi } = parts;
  let stopping = false;
  const budget = new ByteBudget(settings.limits.expert.heldBytes || heldBytesByDefault());
  const metrics = createMetrics(
    (id) => parts.sources.find(id) !== undefined,
    {
      ...parts.readings,
      isReady: () => notReady().length === 0,
      runsUnderWay: () => runs.admission.running,
      heldBytes: () => budget.heldBytes,
      connections: () => ({ open: publicPort.server.openConnections(), dropped: publicPort.dropped() }),
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
  const publicPort: PublicPort = createPublicPort(parts, runs, budget, metrics, () => stopping);
  const notReady = () => (stopping ? ["shutting down"] : parts.notReady());
  const admin = createAdminServer({
    metrics,
    notReady,
    warnings: parts.warnings,
    pages: parts.adminPages,
    api: adminApi,
    console: parts.console,
    isStopping: () => stopping,
  });
  admin.on("drop", () => publicPort.adminDropped("connection_limit"));

  const { server } = publicPort;
  const url = await listen(server, settings.port, settings.host);
  const adminUrl = await listen(admin, settings.adminPort, settings.adminHost).catch(async (error: unknown) => {
    // A start that has failed keeps no port: `datarun dev` starts again with the settings from before.
    const { closed } = server.stopListening();
    server.closeAllConnections();
    await closed;
    publicPort.close();
    throw error;
  });

  return {
    url,
    adminUrl,
    ...readSelf(parts, runs, metrics, notReady),
    watchCalls: runs.watchCalls,
    openMetrics: metrics.open,
    async stop({ drainMs, graceMs }) {
      stopping = true;
      const endAt = clock.now() + graceMs;
      await drain(server, clock, Math.min(drainMs, graceMs));
      const { received, closed } = server.stopListening();
      await settledWithin(clock, Math.max(0, endAt - clock.now()), received);
      const idle = runs.admission.stop();
      const verbsEnded = adminApi?.stop() ?? Promise.resolve();
      runs.endWaitsForOrders();
      if (!(await settledWithin(clock, Math.max(0, endAt - clock.now()), idle))) {
        runs.endCalls();
        if (!(await settledWithin(clock, ANSWER_LEFT_MS, idle))) await parts.functions.close();
        await settledWithin(clock, ANSWER_LEFT_MS, idle);
      }
      // The last answer begins in this turn. A client that reads slowly has the rest of the grace period.
      await settledWithin(clock, Math.max(0, endAt - clock.now()), verbsEnded);
      await new Promise(setImmediate);
      await settledWithin(clock, Math.max(0, endAt - clock.now()), server.whenWritten());
      server.closeIdleConnections();
      if (!(await settledWithin(clock, CLOSE_LEFT_MS, closed))) server.closeAllConnections();
      await Promise.all([closed, closeAdmin(admin, clock)]);
      publicPort.close();
      for (const quota of Object.values(quotas)) quota.close();
      metrics.close();
    },
  };
}

/** For so long nobody must have been connected for a drain to be over early. */
const ALONE_MS = 1_000;
const LOOK_MS = 50;

/** Waits until nobody sends requests here any more, or the time is over. */
async function drain(server: PublicServer, clock: Clock, drainMs: number): Promise<void> {
  const endAt = clock.now() + drainMs;
  while (clock.now() < endAt && server.unusedMs() < ALONE_MS)
    await new Promise<void>((resolve) => clock.after(Math.min(LOOK_MS, endAt - clock.now()), resolve));
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

/** Refuses new connections, and lets answers be written that were begun. */
async function closeAdmin(server: HttpServer, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  if (!(await settledWithin(clock, CLOSE_LEFT_MS, closed))) server.closeAllConnections();
  await closed;
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
