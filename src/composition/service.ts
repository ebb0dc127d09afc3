import type { Server as HttpServer } from "node:http";
import type { AddressInfo, Server } from "node:net";
import { createAdminServer } from "../operate/admin-server.ts";
import { createMetrics, type Metrics } from "../operate/metrics.ts";
import { CALLS_QUOTA, createLogQuota, MESSAGES_QUOTA } from "../operate/log-quota.ts";
import { createRunLog } from "../operate/run-log.ts";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import type { PublicServer } from "../http/server.ts";
import type { Clock } from "../terms/time/clock.ts";
import { settledWithin } from "../terms/time/within.ts";
import { createPublicPort, type PublicPort } from "./public-port.ts";
import { defaultMemoryBytes } from "./default-limits.ts";
import { createRuns, type Runs } from "./runs.ts";
import { createStateReader, type ServiceStateReader } from "./service-state.ts";
import type { ServiceParts } from "./service-parts.ts";

export interface Service extends ServiceStateReader, Pick<Runs, "watchCalls"> {
  readonly url: string;
  readonly adminUrl: string;
  /** Every metric, for a reader besides the metrics page. */
  readonly openMetrics: Metrics["open"];
  /**
   * Stops in three steps. First reports not ready and closes each connection with its next answer, while new runs are
   * still accepted. Then refuses new connections and lets requests finish. Then closes the other connections. Resolves
   * once all requests are answered.
   */
  stop(within: StopLimits): Promise<void>;
}

export interface StopLimits {
  /** How long new runs are still accepted, so that load balancers can learn of the stop. */
  readonly drainMs: number;
  /** The time limit of the whole stop. */
  readonly graceMs: number;
}

/** Puts the parts together, in the order in which a request uses them, and listens. */
export async function startService(parts: ServiceParts): Promise<Service> {
  const { settings, clock, adminApi } = parts;
  let stopping = false;
  const budget = new ByteBudget(settings.limits.expert.heldBytes || defaultMemoryBytes());
  const metrics = createMetrics(
    (id) => parts.sources.find(id) !== undefined,
    {
      ...parts.readings,
      isReady: () => notReady().length === 0,
      runsUnderWay: () => runs.admission.running,
      heldBytes: () => budget.reservedBytes,
      connections: () => ({ open: publicPort.server.openConnections(), dropped: publicPort.dropped() }),
      openBreakers: () => runs.openBreakers().length,
      failedLogins: () => adminApi.failedLogins(),
    },
    clock,
  );
  const quotas = {
    messages: createLogQuota("messages", MESSAGES_QUOTA, parts.log, clock),
    calls: createLogQuota("calls", CALLS_QUOTA, parts.log, clock),
  };
  const observers = [createRunLog(parts.log, quotas.calls), metrics, ...parts.observers];
  const runs: Runs = createRuns(parts, observers, quotas.messages, budget);
  const publicPort: PublicPort = createPublicPort(parts, runs, budget, metrics, () => stopping);
  const notReady = () => (stopping ? ["shutting down"] : parts.notReady());
  const admin = createAdminServer({
    metrics,
    notReady,
    warnings: parts.warnings,
    api: adminApi,
    console: parts.console,
    isStopping: () => stopping,
  });
  admin.on("drop", () => publicPort.adminDropped("connection_limit"));

  const { server } = publicPort;
  const url = await listen(server, settings.port, settings.host);
  const adminUrl = await listen(admin, settings.adminPort, settings.adminHost).catch(async (error: unknown) => {
    // A failed start releases its ports: `datarun dev` starts again with the previous settings.
    const { closed } = server.stopListening();
    server.closeAllConnections();
    await closed;
    publicPort.close();
    throw error;
  });

  return {
    url,
    adminUrl,
    ...createStateReader(parts, runs, metrics, notReady),
    watchCalls: runs.watchCalls,
    openMetrics: metrics.open,
    async stop({ drainMs, graceMs }) {
      stopping = true;
      const endAt = clock.now() + graceMs;
      await waitUntilUnused(server, clock, Math.min(drainMs, graceMs));
      const { received, closed } = server.stopListening();
      await settledWithin(clock, Math.max(0, endAt - clock.now()), received);
      const idle = runs.admission.stop();
      runs.stopShadows();
      const verbsEnded = adminApi.stop();
      runs.endWaitsForOrders();
      if (!(await settledWithin(clock, Math.max(0, endAt - clock.now()), idle))) {
        runs.endCalls();
        if (!(await settledWithin(clock, ANSWER_LEFT_MS, idle))) await parts.functions.close();
        await settledWithin(clock, ANSWER_LEFT_MS, idle);
      }
      // The last answer starts in this tick. A slow reader has the rest of the grace period.
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

/** How long there must be no connection for a drain to end early. */
const UNUSED_MS = 1_000;
const CHECK_EVERY_MS = 50;

/** Waits until clients have stopped sending requests, or the time is over. */
async function waitUntilUnused(server: PublicServer, clock: Clock, drainMs: number): Promise<void> {
  const endAt = clock.now() + drainMs;
  while (clock.now() < endAt && server.unusedMs() < UNUSED_MS)
    await new Promise<void>((resolve) => clock.after(Math.min(CHECK_EVERY_MS, endAt - clock.now()), resolve));
}

/** The time after the grace period for answering requests that were ended. */
const ANSWER_LEFT_MS = 1_000;
const CLOSE_LEFT_MS = 500;

/** Listens, and returns the address. */
async function listen(server: Server, port: number, host: string): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  return urlOf(server.address() as AddressInfo);
}

/** Refuses new connections, and lets started answers finish. */
async function closeAdmin(server: HttpServer, clock: Clock): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  if (!(await settledWithin(clock, CLOSE_LEFT_MS, closed))) server.closeAllConnections();
  await closed;
}

function urlOf({ address, port, family }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
