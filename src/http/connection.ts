import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestFaultCode } from "../terms/fault.ts";
import { clientAddress } from "./client-address.ts";
import { Feed, type FeedGate, headBytes, SLICE_BYTES } from "./feed.ts";
import { IncomingBody } from "./incoming-body.ts";

/** One request of a connection, and its place in the order of answers. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: IncomingBody;
  readonly connection: Connection;
  /** Why it is refused because of its head alone. */
  readonly refusal: RequestFaultCode | null;
}

/** How many bytes chunk framing may take in addition to the body. */
const FRAMING_TIMES = 2;
const FRAMING_BYTES = 65_536;

export interface ConnectionLimits {
  readonly bodyBytesMax: number;
  /** Requests that may wait while an earlier one is answered, and bytes of them that are parsed. */
  readonly pipelinedMax: number;
  readonly pipelinedBytesMax: number;
}

/**
 * One client's connection: its requests, which are answered one after the other, and how far its bytes are read. Pipelining
 * must not increase a caller's share, so a connection has one request in progress. A limited number of further ones wait
 * parsed, others as bytes, and then the socket is not read. After an answer that closes, nothing is parsed or started.
 */
export class Connection implements FeedGate {
  readonly socket: Socket;
  /** Of its client; read now, because a closed socket has none. */
  readonly address: string;
  readonly openedAt = performance.now();
  readonly #limits: ConnectionLimits;
  readonly #feed: Feed;
  /** In order; the first one is in progress. */
  #turns: Turn[] = [];
  /** The last one that has begun to arrive, until it has arrived and is answered: a kept connection keeps no request. */
  #latest: Turn | undefined;
  #waitingBytes = 0;
  #bodyWireBytes = 0;
  #isEnding = false;
  #isRefused = false;
  #isStarted = false;
  #isCutShort = false;
  #onTooMuchFraming: () => void = () => {};
  #onEnded: () => void = () => {};

  constructor(socket: Socket, limits: ConnectionLimits) {
    this.socket = socket;
    this.address = clientAddress(socket);
    this.#limits = limits;
    this.#feed = new Feed(socket, this);
  }

  /** The request in progress. */
  get current(): Turn | undefined {
    return this.#turns[0];
  }

  /** Nothing is in progress except, at most, the arrival of a request or its refusal. */
  get isIdle(): boolean {
    return this.current === undefined || this.current.body.isComing || this.#isRefused;
  }

  /** A request is arriving that has a body, and it is not refused yet. */
  get isReceiving(): boolean {
    return this.current?.body.isComing === true && !this.#isRefused;
  }

  /** A request has begun to arrive whose run has not been started yet. */
  get isArriving(): boolean {
    return this.current !== undefined && !this.#isStarted && !this.#isRefused;
  }

  /** Whether more has come, or is probably coming, than was parsed. */
  get hasMore(): boolean {
    return this.#isCutShort || this.#feed.hasRest;
  }

  get waiting(): number {
    return Math.max(0, this.#turns.length - 1);
  }

  /** An answer that closes has begun or been announced: what follows is not a request any more (RFC 9112, 9.6). */
  get isEnding(): boolean {
    return this.#isEnding || this.#latest?.response.shouldKeepAlive === false;
  }

  /** The body of the last request, after its answer has begun: errors in it do not matter. */
  get isDiscarding(): boolean {
    const latest = this.#latest;
    return latest !== undefined && !latest.request.complete && latest.response.headersSent;
  }

  /** Replaces the parser's own error if chunk framing takes many times the bytes of the body. */
  whenTooMuchFraming(tell: () => void): void {
    this.#onTooMuchFraming = tell;
  }

  /** Puts a request at the end of the line. */
  add(request: IncomingMessage, response: ServerResponse, refusal: RequestFaultCode | null): Turn {
    // What follows an unreadable request is not a request.
    if (refusal !== null) response.shouldKeepAlive = false;
    const turn = { request, response, body: new IncomingBody(request), connection: this, refusal };
    this.#turns.push(turn);
    this.#latest = turn;
    this.#bodyWireBytes = 0;
    return turn;
  }

  /** The run of the request in progress has been started. */
  started(): void {
    this.#isStarted = true;
  }

  /** The request in progress will be refused, when its turn comes. */
  refused(): void {
    this.#isRefused = true;
  }

  /** The request in progress has its answer. @returns the next one, if it may be started */
  next(): Turn | undefined {
    this.#isRefused = false;
    this.#isStarted = false;
    const done = this.#turns.shift();
    if (done?.response.shouldKeepAlive === false) {
      this.#isEnding = true;
      this.#turns = [];
    }
    if (this.#turns.length <= 1) this.#waitingBytes = 0;
    if (done?.request.complete === false) done.body.skip();
    else if (done === this.#latest) this.#latest = undefined;
    return this.current;
  }

  /** To be called when more of it may be read. */
  go(): void {
    this.#feed.go();
  }

  /** Lets the request in progress finish, and accepts no others. */
  end(): void {
    this.#isEnding = true;
    this.#isCutShort = true;
    this.#turns.length = Math.min(this.#turns.length, 1);
  }

  /** Ends, and discards what still arrives without parsing it. */
  discard(counted: (bytes: number) => void): void {
    this.#isEnding = true;
    this.#feed.drop(counted);
  }

  /** The client has half-closed, and everything it sent has been parsed: the last answer closes the connection. */
  ended(): void {
    const latest = this.#latest;
    if (latest !== undefined && !latest.response.headersSent) latest.response.shouldKeepAlive = false;
    this.#onEnded();
  }

  /** Called when the client has half-closed. */
  whenEnded(tell: () => void): void {
    this.#onEnded = tell;
  }

  mayFeed(): boolean {
    const { pipelinedMax, pipelinedBytesMax } = this.#limits;
    const body = this.#latest?.body;
    if (this.#isEnding) return false;
    if (body?.isComing === true) return body.isWanted || (body.left > 0 && body.left <= SLICE_BYTES);
    return !this.isEnding && this.waiting < pipelinedMax && this.#waitingBytes <= pipelinedBytesMax;
  }

  sliceBytes(bytes: Buffer): number {
    const body = this.#latest?.body;
    if (body?.isComing === true) return body.left > 0 ? body.left : SLICE_BYTES;
    return headBytes(bytes);
  }

  fed(bytes: number): void {
    if (this.waiting > 0) this.#waitingBytes += bytes;
    if (this.#latest?.body.isComing !== true) return;
    this.#bodyWireBytes += bytes;
    if (this.#bodyWireBytes > FRAMING_TIMES * this.#limits.bodyBytesMax + FRAMING_BYTES) this.#onTooMuchFraming();
  }
}

/** The times after which the client is checked. */
const LOOK_AFTER_MS = [0, 5, 50, 1_000];

/**
 * A client that has half-closed may be waiting for its answer, or may be gone: TCP distinguishes the two only when something
 * is sent. So it is sent `100 Continue`, which any HTTP/1.1 client ignores. The machine of a client that is gone answers
 * with a reset, which the next such line detects; the connection then closes as for any client that hangs up.
 */
export function answerHalfClosed(connection: Connection): void {
  const turn = connection.current;
  if (turn === undefined || turn.request.httpVersionMinor === 0) return;
  const { response } = turn;
  const timers = LOOK_AFTER_MS.map((afterMs) =>
    setTimeout(() => {
      if (!response.headersSent && !response.destroyed) response.writeContinue();
    }, afterMs).unref(),
  );
  const stop = () => timers.forEach(clearTimeout);
  response.once("prefinish", stop).once("close", stop);
}
