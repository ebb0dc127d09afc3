import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestFaultCode } from "../terms/fault.ts";
import { IncomingBody } from "./incoming-body.ts";

/** A request and its response. */
export interface ClientExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: IncomingBody;
  readonly connection: ClientConnection;
  /** The fault for which the request is refused because of its head alone. */
  readonly refusal: RequestFaultCode | null;
}

/** Time for a client to read its last answer and close, if some of its input was not read. */
const LINGER_MS = 1_000;

/**
 * A client's connection. Its requests are answered one after the other, so that pipelining does not increase a caller's
 * share. The socket is paused while a request waits, and while a body arrives that the service does not need yet: unread
 * bytes stay in the kernel. No request is started after an answer with `Connection: close` (RFC 9112, 9.6).
 */
export class ClientConnection {
  readonly socket: Socket;
  readonly openedAt = performance.now();
  /** The most bytes of an unneeded body that are read and discarded, so that its client gets to read the answer. */
  readonly #discardedBytesMax: number;
  /** In the order of arrival; the first one is in progress. */
  #exchanges: ClientExchange[] = [];
  /**
   * The most recent exchange. Undefined once its request has arrived and is answered: an idle connection keeps no
   * request.
   */
  #latest: ClientExchange | undefined;
  #isEnding = false;
  #isClosing = false;
  /** Input has arrived that will not be answered. */
  #hasUnansweredInput = false;
  #isIgnoring = false;
  #isStarted = false;

  constructor(socket: Socket, skippedMax: number) {
    this.socket = socket;
    this.#discardedBytesMax = skippedMax;
    // Node resumes a socket at the end of each message, even if it has to stay paused.
    socket.on("resume", () => {
      if (!this.#mayRead) socket.pause();
    });
    // Node calls `destroySoon` after an answer with `Connection: close`.
    const destroySoon = socket.destroySoon.bind(socket);
    const closeAfterAnswer = () => (this.#hasMore ? this.close() : destroySoon());
    socket.destroySoon = closeAfterAnswer;
  }

  /** The request in progress. */
  get current(): ClientExchange | undefined {
    return this.#exchanges[0];
  }

  /** How many requests wait for the one in progress. */
  get waiting(): number {
    return Math.max(0, this.#exchanges.length - 1);
  }

  /** Whether the current request, complete or not, has neither started a run nor been answered. */
  get isArriving(): boolean {
    return this.current !== undefined && !this.#isStarted && !this.current.response.headersSent;
  }

  /** Whether no further request is accepted. */
  get isEnding(): boolean {
    return this.#isEnding || this.#latest?.response.shouldKeepAlive === false;
  }

  /** Whether the last answer has been sent. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Whether the body of the last request is still arriving although its answer has begun. Errors in such a body do not
   * matter.
   */
  get isDiscardingBody(): boolean {
    const latest = this.#latest;
    return latest !== undefined && !latest.request.complete && latest.response.headersSent;
  }

  /** Appends a request to those of the connection. */
  add(request: IncomingMessage, response: ServerResponse, refusal: RequestFaultCode | null): ClientExchange {
    // The bytes behind a malformed request may not be a request.
    if (refusal !== null) response.shouldKeepAlive = false;
    const body = new IncomingBody(request, () => this.#readOrPause());
    const exchange = { request, response, body, connection: this, refusal };
    this.#exchanges.push(exchange);
    this.#latest = exchange;
    if (this.waiting > 0) this.#readOrPause();
    return exchange;
  }

  /** Records that the current request has started its run. */
  markStarted(): void {
    this.#isStarted = true;
  }

  /** Removes the current request, which has its answer. @returns the next one, if it may be started */
  next(): ClientExchange | undefined {
    this.#isStarted = false;
    const done = this.#exchanges.shift();
    if (done?.response.shouldKeepAlive === false) {
      this.#isEnding = true;
      this.#exchanges = [];
    } else if (done?.request.complete === false) done.body.discard();
    else if (done === this.#latest) this.#latest = undefined;
    this.#readOrPause();
    return this.current;
  }

  /** Accepts no more requests, after input that cannot be parsed. Only the current request is answered. */
  stopAccepting(): void {
    this.#isEnding = true;
    this.#hasUnansweredInput = true;
    this.#exchanges.length = Math.min(this.#exchanges.length, 1);
  }

  /** Leaves further input unread, because the parser would create objects for it. */
  ignoreFurtherInput(): void {
    this.#hasUnansweredInput = true;
    this.#isIgnoring = true;
    this.socket.pause();
  }

  /**
   * Sends a last text and ends the writable side. The connection closes when the client ends its side, or after
   * `LINGER_MS`. Closing a socket with unread input would reset the connection, and a reset can destroy an answer that the
   * client has not read yet.
   */
  close(text = ""): void {
    const { socket } = this;
    if (this.#isClosing || !socket.writable) return;
    this.#isClosing = true;
    this.#isEnding = true;
    socket.end(text);
    const timer = setTimeout(() => socket.destroy(), LINGER_MS);
    // A pending timer would keep the socket and its requests in memory.
    socket.once("close", () => clearTimeout(timer));
    this.#latest?.body.discard(this.#discardedBytesMax);
  }

  get #hasMore(): boolean {
    return this.#hasUnansweredInput || this.waiting > 0 || this.#latest?.body.isArriving === true;
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
