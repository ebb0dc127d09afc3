import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestFaultCode } from "../terms/fault.ts";
import { IncomingBody } from "./incoming-body.ts";

/** A request and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: IncomingBody;
  readonly connection: Connection;
  /** Why it is refused because of its head alone. */
  readonly refusal: RequestFaultCode | null;
}

/** How long a client may take to read its last answer and close, if it has sent more than was read. */
const LINGER_MS = 1_000;

/**
 * A client's connection. Its requests are answered one after the other, so that pipelining does not increase a caller's
 * share. The socket is not read while a request waits, or while a body arrives that is not wanted: the rest stays in
 * the kernel. Nothing is started behind an answer that closes (RFC 9112, 9.6).
 */
export class Connection {
  readonly socket: Socket;
  readonly openedAt = performance.now();
  /** How much of an unwanted body is read, so that its client reads the answer. */
  readonly #skippedMax: number;
  /** In order; the first one is in progress. */
  #exchanges: Exchange[] = [];
  /** The last one, until it has arrived and is answered: a kept connection keeps no request. */
  #latest: Exchange | undefined;
  #isEnding = false;
  #isClosing = false;
  /** Something has arrived that will not be answered. */
  #isCutShort = false;
  #isIgnoring = false;
  #isStarted = false;

  constructor(socket: Socket, skippedMax: number) {
    this.socket = socket;
    this.#skippedMax = skippedMax;
    // Node resumes a socket at the end of each message.
    socket.on("resume", () => {
      if (!this.#mayRead) socket.pause();
    });
    // Node calls this after an answer that closes.
    const destroySoon = socket.destroySoon.bind(socket);
    const closeAfterAnswer = () => (this.#hasMore ? this.close() : destroySoon());
    socket.destroySoon = closeAfterAnswer;
  }

  /** The request in progress. */
  get current(): Exchange | undefined {
    return this.#exchanges[0];
  }

  /** How many requests wait for the one in progress. */
  get waiting(): number {
    return Math.max(0, this.#exchanges.length - 1);
  }

  /** A request has arrived, or is arriving, that is neither started nor refused. */
  get isArriving(): boolean {
    return this.current !== undefined && !this.#isStarted && !this.current.response.headersSent;
  }

  /** No further request is accepted. */
  get isEnding(): boolean {
    return this.#isEnding || this.#latest?.response.shouldKeepAlive === false;
  }

  /** The last answer has been sent. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /** The body of the last request still arrives, and its answer has begun: errors in it do not matter. */
  get isSkipping(): boolean {
    const latest = this.#latest;
    return latest !== undefined && !latest.request.complete && latest.response.headersSent;
  }

  /** Puts a request at the end of the line. */
  add(request: IncomingMessage, response: ServerResponse, refusal: RequestFaultCode | null): Exchange {
    // What follows an unreadable request is not a request.
    if (refusal !== null) response.shouldKeepAlive = false;
    const body = new IncomingBody(request, () => this.#readOrPause());
    const exchange = { request, response, body, connection: this, refusal };
    this.#exchanges.push(exchange);
    this.#latest = exchange;
    if (this.waiting > 0) this.#readOrPause();
    return exchange;
  }

  /** The run of the request in progress has been started. */
  started(): void {
    this.#isStarted = true;
  }

  /** The request in progress has its answer. @returns the next one, if it may be started */
  next(): Exchange | undefined {
    this.#isStarted = false;
    const done = this.#exchanges.shift();
    if (done?.response.shouldKeepAlive === false) {
      this.#isEnding = true;
      this.#exchanges = [];
    } else if (done?.request.complete === false) done.body.skip();
    else if (done === this.#latest) this.#latest = undefined;
    this.#readOrPause();
    return this.current;
  }

  /** What has arrived cannot be parsed: only the request in progress is answered. */
  end(): void {
    this.#isEnding = true;
    this.#isCutShort = true;
    this.#exchanges.length = Math.min(this.#exchanges.length, 1);
  }

  /** Something has arrived behind the last request: it stays unread, because the parser would create objects for it. */
  ignoreRest(): void {
    this.#isCutShort = true;
    this.#isIgnoring = true;
    this.socket.pause();
  }

  /**
   * Ends our half after a last text, and closes when the client has ended its own, or after a while. A connection that is
   * closed while bytes on it are unread is reset, and a reset can destroy an answer that the client has not read yet.
   */
  close(text = ""): void {
    const { socket } = this;
    if (this.#isClosing || !socket.writable) return;
    this.#isClosing = true;
    this.#isEnding = true;
    socket.end(text);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    // The timer would keep the socket, and everything that came on it.
    socket.once("close", () => clearTimeout(timer));
    this.#latest?.body.skip(this.#skippedMax);
  }

  get #hasMore(): boolean {
    return this.#isCutShort || this.waiting > 0 || this.#latest?.body.isComing === true;
  }

  get #mayRead(): boolean {
    return this.waiting === 0 && !this.#isIgnoring && this.#latest?.body.mayRead !== false;
  }

  #readOrPause(): void {
    const { socket } = this;
    if (!this.#mayRead) socket.pause();
    else if (socket.isPaused()) socket.resume();
  }
}
