import { createServer, type Server, type ServerResponse } from "node:http";
import { Fault } from "../terms/fault.ts";
import type { Metrics } from "./metrics.ts";

export interface AdminServerParts {
  readonly metrics: Pick<Metrics, "page">;
  /** Why the service cannot accept runs; empty if it can. */
  readonly notReady: () => readonly string[];
  /** What will soon become a reason. */
  readonly warnings: () => readonly string[];
}

/** Enough for probes and scrapers. Anybody else who finds the port must not use up the files that the service may open. */
const CONNECTIONS_MAX = 64;
const LIMITS = { requestTimeout: 30_000, headersTimeout: 30_000, keepAliveTimeout: 72_000 };
const HEADERS = {
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Cache-Control": "no-store",
};

/**
 * The admin port: metrics and probes. It has no authentication of its own and belongs on a private address.
 * `/live` says that the process responds; `/ready` that runs would be accepted.
 */
export function createAdminServer({ metrics, notReady, warnings }: AdminServerParts): Server {
  const pages = new Map<string, (response: ServerResponse) => Promise<void>>([
    ["/live", async (response) => sendJson(response, 200, { status: "OK" })],
    [
      "/ready",
      async (response) => {
        const reasons = notReady();
        const isReady = reasons.length === 0;
        const status = isReady ? "OK" : "not ready";
        sendJson(response, isReady ? 200 : 503, { status, reasons, warnings: warnings() });
      },
    ],
    [
      "/metrics",
      async (response) => {
        const { text, contentType } = await metrics.page();
        send(response, 200, contentType, text);
      },
    ],
  ]);
  const server = createServer(LIMITS, (request, response) => {
    const [path = ""] = (request.url ?? "").split("?");
    const page = request.method === "GET" || request.method === "HEAD" ? pages.get(path) : undefined;
    if (page === undefined) return refuse(response, new Fault("request.not_found"));
    page(response).catch(() => refuse(response, new Fault("request.unexpected")));
  });
  server.maxConnections = CONNECTIONS_MAX;
  return server;
}

function refuse(response: ServerResponse, fault: Fault): void {
  sendJson(response, fault.row.status, { error: { code: fault.row.kind, message: fault.says } });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

/** The answer to a HEAD is the head of the same answer: Node leaves out the rest. */
function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...HEADERS, "Content-Type": contentType, "Content-Length": body.length });
  response.end(body);
}
