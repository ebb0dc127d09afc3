import fastify, { type FastifyInstance } from "fastify";
import { Fault } from "../terms/fault.ts";

export interface AdminServerParts {
  readonly metrics: { page(): Promise<string>; readonly contentType: string };
  /** Nothing when the service can take runs, else why it cannot. */
  readonly notReady: () => readonly string[];
  /** What will be a reason before long. */
  readonly warnings: () => readonly string[];
}

/** Probes and scrapers; whoever else finds the port must not take the files of the service. */
const CONNECTIONS_MAX = 64;

/**
 * The admin port: metrics and probes. It has no authentication of its own and belongs on a private address.
 * `/live` says that the process turns; `/ready` that runs would be accepted.
 */
export function createAdminServer(parts: AdminServerParts): FastifyInstance {
  const server = fastify({ logger: false, forceCloseConnections: true });
  server.server.maxConnections = CONNECTIONS_MAX;
  server.addHook("onSend", async (_request, reply) => {
    void reply
      .header("X-Frame-Options", "DENY")
      .header("Content-Security-Policy", "frame-ancestors 'none'")
      .header("Cache-Control", "no-store");
  });
  server.setNotFoundHandler((_request, reply) => {
    const fault = new Fault("request.not_found");
    void reply.code(fault.row.status).send({ error: { code: fault.row.kind, message: fault.says } });
  });
  server.get("/live", () => ({ status: "OK" }));
  server.get("/ready", (_request, reply) => {
    const reasons = parts.notReady();
    void reply.code(reasons.length === 0 ? 200 : 503);
    return { status: reasons.length === 0 ? "OK" : "not ready", reasons, warnings: parts.warnings() };
  });
  server.get("/metrics", async (_request, reply) => {
    void reply.type(parts.metrics.contentType);
    return parts.metrics.page();
  });
  return server;
}
