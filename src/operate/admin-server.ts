import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { asFault, Fault } from "../terms/fault.ts";
import { createServer } from "../terms/http/node-http.ts";
import type { Metrics } from "./metrics.ts";

export interface AdminServerParts {
  readonly metrics: Pick<Metrics, "page">;
  /** The reasons why the service cannot accept runs; empty if it can. */
  readonly notReady: () => readonly string[];
  /** The conditions that will soon become reasons. */
  readonly warnings: () => readonly string[];
  readonly api: AdminHandler | null;
  /** The pages that use the API. */
  readonly console: AdminHandler | null;
  /** While true, each answer closes its connection. */
  readonly isStopping: () => boolean;
}

/** Answers every request below its path. A rejection before the answer has started refuses the request. */
export interface AdminHandler {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/**
 * Enough for probes, scrapers and some operators. The limit keeps clients that find the port from using up the file
 * descriptors of the service. Further connections are closed at once.
 */
export const ADMIN_CONNECTIONS_MAX = 128;

/** Time limit for the head of a request, from the start of the connection. */
export const HEAD_MS = 10_000;

const LIMITS = {
  requestTimeout: 30_000,
  headersTimeout: HEAD_MS,
  keepAliveTimeout: 72_000,
  // Node checks every 30 s by default, which would lengthen every shorter timeout.
  connectionsCheckingInterval: 1_000,
};
const HEADERS = {
  "X-Frame-Options": "DENY",
  "Content-Security-Policy": "frame-ancestors 'none'",
  "Cache-Control": "no-store",
};

/**
 * A client that reads nothing of an answer for this time is disconnected: the answer takes memory, and it counts as one
 * of the commands in progress.
 */
export const UNREAD_MS = 60_000;

/**
 * The admin port: metrics, probes, the admin API under `/api/`, and the console under `/console/`. It belongs on a
 * private address, because only the API authenticates. `/live` reports that the process responds, and `/ready` that
 * runs would be accepted. Both and the metrics answer to any host name, because probes and scrapers use whatever
 * address they have discovered.
 */
export function createAdminServer(parts: AdminServerParts, unreadMs: number = UNREAD_MS): Server {
  const { metrics, notReady, warnings } = parts;
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
        const { text, contentType } = metrics.page();
        send(response, 200, contentType, text);
      },
    ],
  ]);
  const unanswered = new WeakSet<Socket>();
  const server = createServer(LIMITS, (request, response) => {
    const { socket } = request;
    // No client of this port pipelines requests. A flood of them would create all its answers at once.
    if (unanswered.has(socket)) return void socket.destroy();
    unanswered.add(socket);
    response.once("close", () => unanswered.delete(socket));
    if (parts.isStopping()) response.shouldKeepAlive = false;
    response.once("prefinish", () => {
      if (!response.writableFinished) response.setTimeout(unreadMs, () => response.destroy());
    });
    const [path = ""] = (request.url ?? "").split("?");
    const page = request.method === "GET" || request.method === "HEAD" ? pages.get(path) : undefined;
    const answered = page === undefined ? handlerOf(path, parts)?.handle(request, response) : page(response);
    if (answered === undefined) return refuse(response, new Fault("request.not_found"));
    answered.catch((thrown: unknown) => refuse(response, asFault(thrown, "request.unexpected")));
  });
  server.maxConnections = ADMIN_CONNECTIONS_MAX;
  // A client that has closed its half of the connection still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  return server;
}

function handlerOf(path: string, { api, console }: AdminServerParts): AdminHandler | null {
  if (path.startsWith("/api/")) return api;
  return path === "/" || path === "/console" || path.startsWith("/console/") ? console : null;
}

function refuse(response: ServerResponse, fault: Fault): void {
  sendJson(response, fault.row.status, { error: { code: fault.row.kind, message: fault.says } });
}

export function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

/** For a HEAD request, Node leaves out the body. */
function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...HEADERS, "Content-Type": contentType, "Content-Length": body.length });
  response.end(body);
}
