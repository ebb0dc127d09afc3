import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, type RequestFaultCode } from "../terms/fault.ts";
import { createServer } from "../terms/http/node-http.ts";
import { pathOf, ROUTES } from "./app.ts";
import { countHeader } from "./authenticate-request.ts";
import { ClientConnection, type ClientExchange } from "./client-connection.ts";
import type { RefusalObserver } from "./ports.ts";
import { errorBody, rawErrorResponse, sendJson } from "./send-response.ts";
import { readCallerIds } from "./request-ids.ts";
import { methodsOf } from "./route.ts";

export interface ServerLimits {
  /** For a whole request to arrive; its header may take a third of it. */
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may take to read an answer. */
  readonly writeTimeoutMs: number;
  readonly bodyBytesMax: number;
  /** The most connections of clients at once. */
  readonly connectionsMax: number;
}

interface AcceptOptions {
  /** The fault that Node found in the head of the request. */
  readonly problem?: RequestFaultCode;
  readonly expectsContinue?: boolean;
}

/** Node's own default, and more than a server-to-server client with a token and a trace needs. */
export const HEADER_BYTES_MAX = 16_384;
export const HEADER_FIELDS_MAX = 100;

/** The most requests of a connection that may wait while an earlier one is answered. Each takes about 3 KiB. */
export const PIPELINED_MAX = 32;

/** The methods of all endpoints, for a request that names no path. */
const ALLOW = [...new Set(ROUTES.flatMap(methodsOf))].sort().join(", ");

export interface PublicServer extends Server {
  openConnections(): number;
  /** Milliseconds since the last client disconnected; 0 while one is connected. */
  unusedMs(): number;
  /** Resolves once every started answer has been handed to the operating system, or its client is gone. */
  whenWritten(): Promise<void>;
  /** Refuses new connections and closes idle ones. */
  stopListening(): ListeningStop;
}

interface ListeningStop {
  /** Resolves when all requests in transit have arrived, at the latest after a second. */
  readonly received: Promise<void>;
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>;
}

/**
 * The public server on `node:http`. It differs from Node's behaviour where the contract requires it: input that cannot be
 * parsed gets an error in our own form, the requests of a connection are handled one at a time, and a client that does not
 * read its answer in time is cut off.
 */
export function createPublicServer(
  handle: (exchange: ClientExchange) => void,
  limits: ServerLimits,
  observer: RefusalObserver,
  newRequestId: () => string,
): PublicServer {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES_MAX,
    headersTimeout: Math.ceil(limits.requestTimeoutMs / 3),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Node checks every 30 s by default, which would be the shortest possible timeout.
    connectionsCheckingInterval: 1000,
    insecureHTTPParser: false,
    // Node's own answer to a request without `Host` lacks our headers; `accept` refuses the request instead.
    requireHostHeader: false,
    noDelay: true,
  });
  // 0: Node drops no header field silently; `accept` counts the fields.
  server.maxHeadersCount = 0;
  server.maxConnections = limits.connectionsMax;

  const connections = new Map<Duplex, ClientConnection>();
  /** Number of answers that have not been handed to the operating system completely. */
  let unwritten = 0;
  const waiters: (() => void)[] = [];
  let lastClosedAt = -Infinity;

  server.on("drop", () => observer.dropped("connection_limit"));
  server.on("connection", (socket: Socket) => {
    connections.set(socket, new ClientConnection(socket, limits.bodyBytesMax));
    socket.once("close", () => {
      connections.delete(socket);
      lastClosedAt = performance.now();
    });
  });

  function accept(request: IncomingMessage, response: ServerResponse, how: AcceptOptions = {}): void {
    const connection = connections.get(request.socket)!;
    if (connection.isEnding) return connection.ignoreFurtherInput();
    const exchange = connection.add(request, response, how.problem ?? headProblem(request));
    // `100 Continue` is sent only when the body is needed: a client that is refused by its headers need not send the body.
    if (how.expectsContinue === true) exchange.body.whenNeeded(() => !response.headersSent && response.writeContinue());
    response.on("close", () => next(exchange));
    if (connection.current === exchange) return start(exchange);
    if (connection.waiting <= PIPELINED_MAX) return;
    observer.dropped("pipelining");
    connection.ignoreFurtherInput();
    request.socket.destroy();
  }

  /**
   * Starts the next request of a connection. Its requests wait for one another: pipelining must not multiply a caller's
   * share.
   */
  function next(done: ClientExchange): void {
    // When a connection closes, the responses of its waiting requests emit `close` too.
    if (done.connection.current !== done) return;
    const exchange = done.connection.next();
    // In a later tick of the event loop: otherwise all pipelined requests of a client would come before those of others.
    if (exchange !== undefined) setImmediate(() => !exchange.response.destroyed && start(exchange));
  }

  function start(exchange: ClientExchange): void {
    const { response } = exchange;
    response.on("prefinish", () => !response.writableFinished && awaitWritten(response));
    if (exchange.refusal === null) handle(exchange);
    else refuse(exchange, exchange.refusal);
  }

  /** Cuts off a client that does not read its answer in time. */
  function awaitWritten(response: ServerResponse): void {
    unwritten += 1;
    const timer = setTimeout(() => response.socket?.destroy(), limits.writeTimeoutMs);
    timer.unref();
    response.once("close", () => {
      clearTimeout(timer);
      unwritten -= 1;
      if (unwritten === 0) for (const resolve of waiters.splice(0)) resolve();
    });
  }

  function refuse({ request, response }: ClientExchange, code: RequestFaultCode): void {
    const [fault, requestId] = [new Fault(code), newRequestId()];
    observer.refused({ requestId, path: pathOf(request), fault, ...readCallerIds(request) });
    sendJson(response, fault.row.status, requestId, errorBody(fault, requestId), { close: true });
  }

  /** Handles input that cannot be parsed, after which nothing can be. A request in progress still gets its answer. */
  function unreadable(connection: ClientConnection, code: RequestFaultCode, reason: string, allow?: string): void {
    const { socket, current, isEnding } = connection;
    // A client would take a second answer for that of its next request.
    if (connection.isDiscardingBody) return socket.destroySoon();
    const isInProgress = current?.request.complete === true;
    if (isInProgress && isEnding) return connection.ignoreFurtherInput();
    connection.stopAccepting();
    const [fault, requestId] = [new Fault(code), newRequestId()];
    observer.refused({ requestId, path: "", fault });
    if (!isInProgress) return connection.close(rawErrorResponse(fault, requestId, reason, allow));
    current.response.shouldKeepAlive = false;
    // If the head of the answer was written before, Node would keep the connection open.
    current.response.once("finish", () => connection.close());
  }

  server.on("request", (request, response) => accept(request, response));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    accept(request, response, { expectsContinue: true });
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    accept(request, response, { problem: "request.http_expectation" });
  });
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node detaches itself from a socket with CONNECT, so an error on it would be unhandled.
    socket.on("error", () => {});
    unreadable(connections.get(socket)!, "request.method", "Method Not Allowed", ALLOW);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const connection = connections.get(socket);
    if (connection === undefined || error.code === "ECONNRESET") return void socket.destroy();
    // Input after the last answer is discarded.
    if (connection.isClosing) return;
    if (!socket.writable) return void socket.destroy();
    unreadable(connection, ...parserProblem(error.code));
  });
  const whenWritten = () =>
    new Promise<void>((resolve) => {
      if (unwritten === 0) resolve();
      else waiters.push(resolve);
    });
  return Object.assign(server, {
    openConnections: () => connections.size,
    unusedMs: () => (connections.size > 0 ? 0 : performance.now() - lastClosedAt),
    whenWritten,
    stopListening() {
      // Node's own `close` treats a connection as idle while the end of its answer is still being written, and cuts it off.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      void whenWritten().then(() => server.closeIdleConnections());
      return { received: receiveInTransit(connections), closed };
    },
  });
}

/** How long the first request of a new connection, or the rest of a request, may still be in transit. */
const IN_TRANSIT_MS = 1_000;
const POLL_MS = 20;

/**
 * Waits for requests on recently opened connections, and closes those that stay silent: Node treats a connection without
 * input as one on which a request is arriving.
 */
async function receiveInTransit(connections: ReadonlyMap<Duplex, ClientConnection>): Promise<void> {
  const endAt = performance.now() + IN_TRANSIT_MS;
  // Reads the input that has already arrived. Two ticks, because the sockets of the current tick may have been polled before.
  for (let tick = 0; tick < 2; tick += 1) await new Promise(setImmediate);
  for (;;) {
    const now = performance.now();
    let isArriving = false;
    for (const connection of connections.values()) {
      const isUnused = connection.socket.bytesRead === 0;
      if (isUnused && now - connection.openedAt >= IN_TRANSIT_MS) connection.socket.destroy();
      else isArriving ||= isUnused || connection.isArriving;
    }
    if (!isArriving || now >= endAt) return;
    await sleep(POLL_MS, undefined, { ref: false });
  }
}

function headProblem(request: IncomingMessage): RequestFaultCode | null {
  if (request.rawHeaders.length / 2 > HEADER_FIELDS_MAX) return "request.http_headers";
  const hosts = countHeader(request, "host");
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return "request.http";
  // The parser takes `GET /path` without a version for HTTP/0.9, whose answers have no headers.
  if (request.httpVersionMajor !== 1) return "request.http";
  // HTTP/1.0 has no transfer codings, so a proxy may find the end of the body elsewhere (RFC 9112, 6.1).
  if (request.httpVersionMinor === 0 && request.headers["transfer-encoding"] !== undefined) return "request.http";
  return null;
}

function parserProblem(code: string | undefined): readonly [RequestFaultCode, string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["request.http_headers", "Request Header Fields Too Large"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["request.http_timeout", "Request Timeout"];
  return ["request.http", "Bad Request"];
}
