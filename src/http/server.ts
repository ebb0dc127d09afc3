import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Server as NetServer } from "node:net";
import type { Duplex } from "node:stream";
import { Fault, type RequestFaultCode } from "../terms/fault.ts";
import type { EdgeObserver } from "./ports.ts";
import { errorBody, rawErrorResponse, sendJson } from "./reply.ts";

export interface ServerLimits {
  readonly headerBytesMax: number;
  readonly headersMax: number;
  readonly headersTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly keepAliveTimeoutMs: number;
  /** How long a client may take to read an answer. */
  readonly writeTimeoutMs: number;
  /** Requests of one connection that may wait while an earlier one is answered. */
  readonly pipelinedMax: number;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface Edge extends Server {
  /** Resolves once every answer that was begun has been handed to the operating system, or its client is gone. */
  whenWritten(): Promise<void>;
  /** Refuses new connections and closes idle ones; resolves when the last is closed. */
  stopListening(): Promise<void>;
}

/**
 * The public edge on `node:http`, with the manners the contract asks for where Node has others: an answer in our own form
 * also for what cannot be parsed, one request of a connection at a time, and a limit on how slowly anything may go.
 */
export function createEdge(handle: Handler, limits: ServerLimits, observer: EdgeObserver): Edge {
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

  const queues = new WeakMap<Duplex, Turn[]>();
  const latest = new WeakMap<Duplex, Turn>();
  const unwritten = new Set<ServerResponse>();
  const waiters: (() => void)[] = [];

  function accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const turn = { request, response };
    latest.set(socket, turn);
    const refusal = httpProblem(request, limits);
    if (refusal !== null) return refuse(response, refusal, request.url ?? "");
    let queue = queues.get(socket);
    if (queue === undefined) queues.set(socket, (queue = []));
    if (queue.length > limits.pipelinedMax) return void socket.destroy();
    queue.push(turn);
    response.once("close", () => next(queue));
    if (queue.length === 1) start(queue[0]!);
  }

  /** A connection's requests are answered one after the other: pipelining must not multiply a caller's share. */
  function next(queue: Turn[]): void {
    queue.shift();
    const turn = queue[0];
    if (turn !== undefined && !turn.response.destroyed) start(turn);
  }

  function start({ request, response }: Turn): void {
    limitWriting(response, limits.writeTimeoutMs);
    response.once("prefinish", () => !response.writableFinished && unwritten.add(response));
    for (const end of ["finish", "close"]) response.once(end, () => written(response));
    void handle(request, response);
  }

  function written(response: ServerResponse): void {
    unwritten.delete(response);
    if (unwritten.size === 0) for (const resolve of waiters.splice(0)) resolve();
  }

  function refuse(response: ServerResponse, code: RequestFaultCode, path: string): void {
    const fault = new Fault(code);
    observer.refused(path, fault);
    sendJson(response, fault.row.status, errorBody(fault), { close: true });
  }

  server.on("request", accept);
  server.on("checkContinue", (request: IncomingMessage, response: ServerResponse) => {
    // Only when the body is about to be read, so that a refusal by the headers alone spares the client from sending it.
    request.once("resume", () => {
      if (!response.headersSent) response.writeContinue();
    });
    accept(request, response);
  });
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) => {
    refuse(response, "request.http_expectation", request.url ?? "");
  });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    observer.refused("", new Fault("request.method"));
    // Node lets go of such a connection: its errors are ours to hear, and so is its end, which a client could put off for ever.
    socket.on("error", () => {});
    socket.end(rawErrorResponse("request.method", "Method Not Allowed", "GET, HEAD, POST"), () => socket.destroy());
  });
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === "ECONNRESET" || !socket.writable) return void socket.destroy();
    // The body of a request that has its answer already: a second one would be taken for that of the next request.
    if (isAnswered(latest.get(socket))) return void socket.end(() => socket.destroy());
    const [code, reason] = parserProblem(error.code);
    observer.refused("", new Fault(code));
    const queue = queues.get(socket);
    const current = queue?.[0];
    if (current === undefined) return void socket.end(rawErrorResponse(code, reason), () => socket.destroy());
    // What came after a request under way cannot be read: that request keeps its answer, and the connection ends with it.
    queue!.length = 1;
    if (!current.request.complete) return void socket.end(rawErrorResponse(code, reason), () => socket.destroy());
    current.response.shouldKeepAlive = false;
    current.response.once("finish", () => socket.destroy());
  });
  const whenWritten = () =>
    new Promise<void>((resolve) => {
      if (unwritten.size === 0) resolve();
      else waiters.push(resolve);
    });
  return Object.assign(server, {
    whenWritten,
    stopListening() {
      // Node's own `close` takes a connection for idle while the end of its answer is still being written, and cuts it off.
      const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      void whenWritten().then(() => server.closeIdleConnections());
      return closed;
    },
  });
}

interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

function isAnswered(turn: Turn | undefined): boolean {
  return turn !== undefined && !turn.request.complete && turn.response.headersSent;
}

function httpProblem(request: IncomingMessage, limits: ServerLimits): RequestFaultCode | null {
  if (request.rawHeaders.length / 2 > limits.headersMax) return "request.http_headers";
  const hosts = request.rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === "host").length;
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

/** Cuts a client off that does not read its answer. */
function limitWriting(response: ServerResponse, timeoutMs: number): void {
  response.once("prefinish", () => {
    if (response.writableFinished) return;
    const timer = setTimeout(() => response.socket?.destroy(), timeoutMs);
    timer.unref();
    response.once("close", () => clearTimeout(timer));
  });
}
