import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Fault, type RequestFaultCode } from "../terms/fault.ts";
import { createServer } from "../terms/node-http.ts";
import { pathOf, ROUTES } from "./app.ts";
import { timesGiven } from "./authenticate-request.ts";
import { ConnectionPlaces } from "./connection-places.ts";
import { closeInOrder } from "./close-in-order.ts";
import { answerHalfClosed, Connection, type ConnectionLimits, type Turn } from "./connection.ts";
import type { EdgeObserver } from "./ports.ts";
import { errorBody, rawErrorResponse, sendJson } from "./reply.ts";
import { readCallerIds } from "./request-ids.ts";
import { methodsOf } from "./route.ts";

export interface ServerLimits extends ConnectionLimits {
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may take to read an answer. */
  readonly writeTimeoutMs: number;
  /** Clients' connections at once. */
  readonly connectionsMax: number;
}

type Handler = (turn: Turn) => void | Promise<void>;

interface Accepting {
  /** What Node found in its head that cannot be met. */
  readonly problem?: RequestFaultCode;
  readonly expectsContinue?: boolean;
}

/** Requests that are parsed and wait for their turn, on all connections: some 3 KiB each. */
export const WAITING_MAX = 8_192;

/** What may wait on one connection while an earlier request of it is answered; the rest stays unread. */
export const PIPELINING = { pipelinedMax: 32, pipelinedBytesMax: 65_536 };

/** The methods of all endpoints, for a request that names no path. */
const ALLOW = [...new Set(ROUTES.flatMap(methodsOf))].sort().join(", ");

export interface Edge extends Server {
  openConnections(): number;
  /** For how long no client has been connected, in milliseconds; 0 while one is. */
  unusedMs(): number;
  /** Resolves once every answer that was begun has been handed to the operating system, or its client is gone. */
  whenWritten(): Promise<void>;
  /** Refuses new connections and closes idle ones. */
  stopListening(): Stopped;
}

interface Stopped {
  /** Resolves when every request has arrived that was on its way, at the latest after a second. */
  readonly received: Promise<void>;
  /** Resolves when the last connection is closed. */
  readonly closed: Promise<void>;
}

/**
 * The public edge on `node:http`, with the manners the contract asks for where Node has others: an answer in our own form
 * also for what cannot be parsed, one request of a connection at a time, and a limit on how slowly anything may go.
 */
export function createEdge(
  handle: Handler,
  limits: ServerLimits,
  observer: EdgeObserver,
  newRequestId: () => string,
): Edge {
  const server = createServer({
    maxHeaderSize: limits.headerBytesMax,
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    // Node looks every 30 s unless told otherwise, which would be the shortest timeout there is.
    connectionsCheckingInterval: 1000,
    insecureHTTPParser: false,
    // Node's own answer to a request without Host lacks our headers; `accept` gives ours.
    requireHostHeader: false,
    noDelay: true,
  });
  // 0: none is dropped silently; `accept` counts them.
  server.maxHeadersCount = 0;

  // A client that has ended its half gets its answer all the same; see `answerHalfClosed`.
  Object.assign(server, { httpAllowHalfOpen: true });

  const connections = new WeakMap<Duplex, Connection>();
  const places = new ConnectionPlaces<Connection>(limits.connectionsMax);
  /** Answers of which a part is still to be handed to the operating system. */
  let unwritten = 0;
  const waiters: (() => void)[] = [];
  let lastClosedAt = -Infinity;
  /** Requests that are parsed and wait for their turn, on all connections. */
  let waiting = 0;

  server.on("connection", (socket: Socket) => {
    const connection = new Connection(socket, limits);
    connections.set(socket, connection);
    connection.whenTooMuchFraming(() => unreadable(connection, "request.http", "Bad Request"));
    connection.whenEnded(() => answerHalfClosed(connection));
    // Node calls this after an answer that closes.
    const destroySoon = socket.destroySoon.bind(socket);
    const closeAfterAnswer = () => (connection.hasMore ? closeInOrder(connection) : destroySoon());
    socket.destroySoon = closeAfterAnswer;
    socket.once("close", () => {
      places.leave(connection);
      lastClosedAt = performance.now();
      changed(connection, () => connection.end());
    });
    const gone = places.enter(connection);
    if (gone === undefined) return;
    observer.dropped(gone === connection ? "no_place" : "made_way");
    gone.socket.destroy();
  });

  function changed<Result>(connection: Connection, change: () => Result): Result {
    waiting -= connection.waiting;
    const result = change();
    waiting += connection.waiting;
    return result;
  }

  function accept(request: IncomingMessage, response: ServerResponse, how: Accepting = {}): void {
    const connection = connections.get(request.socket)!;
    if (connection.isEnding) return;
    const refusal = how.problem ?? httpProblem(request, limits);
    const turn = changed(connection, () => connection.add(request, response, refusal));
    turn.body.whenWanted(() => {
      // Not before, so that a refusal by the headers alone spares the client from sending it.
      if (how.expectsContinue === true && !response.headersSent) response.writeContinue();
      connection.go();
    });
    response.on("close", () => next(turn));
    if (connection.current === turn) return start(turn);
    // A connection may have as many requests waiting as it leaves places for others; one that has more is closed. So a
    // crowd of requests costs only its own connection.
    if (connection.waiting <= WAITING_MAX - waiting) return;
    observer.dropped("pipelining");
    request.socket.destroy();
  }

  /** A connection's requests are answered one after the other: pipelining must not multiply a caller's share. */
  function next(done: Turn): void {
    const { connection, request, response } = done;
    // Those that wait close too when their connection does.
    if (connection.current !== done) return;
    places.answered(connection, response.statusCode === 200 && request.method === "POST");
    const turn = changed(connection, () => connection.next());
    // In a turn of the event loop of its own: else everything that a client has sent ahead would come before all others.
    if (turn !== undefined) setImmediate(() => !turn.response.destroyed && start(turn));
    connection.go();
  }

  function start(turn: Turn): void {
    const { response } = turn;
    response.on("prefinish", () => !response.writableFinished && awaitWritten(response));
    if (turn.refusal === null) void handle(turn);
    else refuse(turn, turn.refusal);
  }

  /** Cuts a client off that does not read its answer. */
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

  function refuse({ request, response }: Turn, code: RequestFaultCode): void {
    const [fault, requestId] = [new Fault(code), newRequestId()];
    observer.refused({ requestId, path: pathOf(request), fault, ...readCallerIds(request) });
    sendJson(response, fault.row.status, requestId, errorBody(fault, requestId), { close: true });
  }

  /** What has come cannot be read, nor can anything behind it. A request under way keeps its answer. */
  function unreadable(connection: Connection, code: RequestFaultCode, reason: string, allow?: string): void {
    const { socket, current } = connection;
    const isDiscarding = connection.isDiscarding;
    changed(connection, () => connection.end());
    // The body of a request that has its answer already: a second one would be taken for that of the next request.
    if (isDiscarding) return void socket.end(() => socket.destroy());
    const [fault, requestId] = [new Fault(code), newRequestId()];
    observer.refused({ requestId, path: "", fault });
    const answer = rawErrorResponse(fault, requestId, reason, allow);
    if (current === undefined || !current.request.complete) return endWith(connection, answer);
    current.response.shouldKeepAlive = false;
    // If its head was written before, Node would keep the connection.
    current.response.once("finish", () => closeInOrder(connection));
  }

  function endWith(connection: Connection, answer: string): void {
    const { socket } = connection;
    // A client could put off its end for ever.
    const timer = setTimeout(() => socket.destroy(), limits.writeTimeoutMs).unref();
    // The timer would keep the socket, and everything that came on it.
    socket.once("close", () => clearTimeout(timer));
    closeInOrder(connection, answer);
  }

  server.on("request", (request, response) => accept(request, response));
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    accept(request, response, { expectsContinue: true });
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    accept(request, response, { problem: "request.http_expectation" });
  });
  server.on("connect", (_request: IncomingMessage, socket: Socket) => {
    // Node lets go of such a connection: its errors are ours to hear.
    socket.on("error", () => {});
    unreadable(connections.get(socket)!, "request.method", "Method Not Allowed", ALLOW);
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    unreadable(connections.get(socket)!, ...parserProblem(error.code));
  });
  const whenWritten = () =>
    new Promise<void>((resolve) => {
      if (unwritten === 0) resolve();
      else waiters.push(resolve);
    });
  return Object.assign(server, {
    openConnections: () => places.taken,
    unusedMs: () => (places.taken > 0 ? 0 : performance.now() - lastClosedAt),
    whenWritten,
    stopListening() {
      // Node's own `close` takes a connection for idle while the end of its answer is still being written, and cuts it off.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      void whenWritten().then(() => server.closeIdleConnections());
      return { received: receiveLast(places), closed };
    },
  });
}

/** So long after a connection was opened its first request may still be on its way, and the rest of one that has begun. */
const ON_ITS_WAY_MS = 1_000;
const LOOK_MS = 20;

/**
 * Waits for requests on connections that were opened shortly before, and closes those on which nothing comes: Node takes
 * them for connections on which a request is arriving.
 */
async function receiveLast(places: ConnectionPlaces<Connection>): Promise<void> {
  const endAt = performance.now() + ON_ITS_WAY_MS;
  // What has come by now is read first: the first turn may belong to the round that has polled already.
  for (let turn = 0; turn < 2; turn += 1) await new Promise(setImmediate);
  for (;;) {
    const now = performance.now();
    let isArriving = false;
    for (const connection of places) {
      const isUnused = connection.socket.bytesRead === 0;
      if (isUnused && now - connection.openedAt >= ON_ITS_WAY_MS) connection.socket.destroy();
      else isArriving ||= isUnused || connection.isArriving;
    }
    if (!isArriving || now >= endAt) return;
    await sleep(LOOK_MS, undefined, { ref: false });
  }
}

function httpProblem(request: IncomingMessage, limits: ServerLimits): RequestFaultCode | null {
  if (request.rawHeaders.length / 2 > limits.headersMax) return "request.http_headers";
  const hosts = timesGiven(request, "host");
  if (hosts > 1 || (hosts === 0 && request.httpVersion === "1.1")) return "request.http";
  // The parser takes `GET /path` without a version for HTTP/0.9, whose answers have no headers.
  if (request.httpVersionMajor !== 1) return "request.http";
  return null;
}

function parserProblem(code: string | undefined): readonly [RequestFaultCode, string] {
  if (code === "HPE_HEADER_OVERFLOW") return ["request.http_headers", "Request Header Fields Too Large"];
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return ["request.http_timeout", "Request Timeout"];
  return ["request.http", "Bad Request"];
}
