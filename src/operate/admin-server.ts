import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { asFault, Fault } from "../terms/fault.ts";
import type { Json } from "../terms/json/json.ts";
import { createServer } from "../terms/http/node-http.ts";
import type { Metrics } from "./metrics.ts";
import { readBody } from "./read-body.ts";

export interface AdminServerParts {
  readonly metrics: Pick<Metrics, "page">;
  /** The reasons why the service cannot accept runs; empty if it can. */
  readonly notReady: () => readonly string[];
  /** The conditions that will soon become reasons. */
  readonly warnings: () => readonly string[];
  /** Further pages. */
  readonly pages: readonly AdminPage[];
  /** `null` for a service without operators. */
  readonly api: AdminHandler | null;
  /** The pages that use the API. */
  readonly console: AdminHandler | null;
  /** While true, each answer closes its connection. */
  readonly isStopping: () => boolean;
}

/** Answers every request below its path. Never rejects. */
export interface AdminHandler {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

/** A page that answers with JSON. */
export interface AdminPage {
  readonly path: string;
  /** By HTTP method. `body` is the parsed JSON; `undefined` for none. */
  readonly answers: Readonly<Record<string, (body: Json | undefined) => AdminAnswer>>;
}

export interface AdminAnswer {
  readonly status: number;
  readonly value: object;
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

/** The largest body that is accepted, in bytes. */
const BODY_BYTES_MAX = 65_536;

/**
 * The admin port: metrics, probes, the admin API under `/api/`, and the console under `/console/`. It belongs on a
 * private address, because only the API authenticates. `/live` reports that the process responds, and `/ready` that
 * runs would be accepted. Both and the metrics answer to any host name, because probes and scrapers use whatever
 * address they have discovered.
 */
export function createAdminServer(parts: AdminServerParts, unreadMs: number = UNREAD_MS): Server {
  const { metrics, notReady, warnings, pages: added } = parts;
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
    const more = added.find((one) => one.path === path);
    const handler = page === undefined && more === undefined ? handlerOf(path, parts) : null;
    if (handler !== null) {
      handler.handle(request, response).catch(() => refuse(response, new Fault("request.unexpected")));
      return;
    }
    if (page === undefined && more === undefined) return refuse(response, new Fault("request.not_found"));
    (page?.(response) ?? answer(more!, request, response)).catch((thrown: unknown) =>
      refuse(response, asFault(thrown, "request.unexpected"), more),
    );
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

async function answer(page: AdminPage, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const method = request.method === "HEAD" ? "GET" : (request.method ?? "");
  if (!Object.hasOwn(page.answers, method)) throw new Fault("request.method");
  const { status, value } = page.answers[method]!(await readJson(request));
  sendJson(response, status, value);
}

/** @throws Fault `request.invalid` */
async function readJson(request: IncomingMessage): Promise<Json | undefined> {
  const bytes = await readBody(request, BODY_BYTES_MAX);
  if (bytes === null) throw new Fault("request.invalid");
  if (bytes.length === 0) return undefined;
  try {
    return JSON.parse(bytes.toString()) as Json;
  } catch (cause) {
    throw new Fault("request.invalid", {}, { cause });
  }
}

function refuse(response: ServerResponse, fault: Fault, page?: AdminPage): void {
  if (page !== undefined && fault.code === "request.method")
    response.setHeader("Allow", Object.keys(page.answers).join(", "));
  sendJson(response, fault.row.status, { error: { code: fault.row.kind, message: fault.says } });
}

function sendJson(response: ServerResponse, status: number, value: object): void {
  send(response, status, "application/json; charset=utf-8", JSON.stringify(value));
}

/** For a HEAD request, Node leaves out the body. */
function send(response: ServerResponse, status: number, contentType: string, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(status, { ...HEADERS, "Content-Type": contentType, "Content-Length": body.length });
  response.end(body);
}
