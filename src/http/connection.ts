import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { RequestFaultCode } from "../terms/fault.ts";
import { Feed, type FeedGate } from "./feed.ts";
import { IncomingBody } from "./incoming-body.ts";

/** One request of a connection, and its place in the order of answers. */
export interface Turn {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: IncomingBody;
  readonly connection: Connection;
  /** Why it is refused for its head alone. */
  readonly refusal: RequestFaultCode | null;
}

/** Given to the parser at once where it is not known what the bytes are: a head, or a body in chunks. */
const SLICE_BYTES = 2_048;
const HEAD_END = "\r\n\r\n";
/** How much more than its body the chunks of a request may take. */
const FRAMING_TIMES = 2;
const FRAMING_BYTES = 65_536;

export interface ConnectionLimits {
  readonly bodyBytesMax: number;
  /** Requests that may wait while an earlier one is answered, and bytes of them that are parsed. */
  readonly pipelinedMax: number;
  readonly pipelinedBytesMax: number;
}

/**
 * One client's connection: its requests, answered one after the other, and how far its bytes are read. Pipelining must
 * not multiply a caller's share, so a connection has one request under way; a bounded number wait parsed, the others as
 * bytes, and then it is not read from. Behind an answer that closes nothing is parsed and nothing is started.
 */
export class Connection implements FeedGate {
  readonly socket: Socket;
  readonly #limits: ConnectionLimits;
  readonly #feed: Feed;
  /** In order; the first is under way. */
  #turns: Turn[] = [];
  #latest: Turn | undefined;
  #waitingBytes = 0;
  #bodyWireBytes = 0;
  #isEnding = false;
  #isRefused = false;
  #onTooMuchFraming: () => void = () => {};
  #onEnded: () => void = () => {};

  constructor(socket: Socket, limits: ConnectionLimits) {
    this.socket = socket;
    this.#limits = limits;
    this.#feed = new Feed(socket, this);
    socket.on("end", () => !this.#feed.isTakenOver && this.ended());
  }

  /** The request under way. */
  get current(): Turn | undefined {
    return this.#turns[0];
  }

  /** Nothing is under way on it but, at the most, the arrival of a request, or the answer that it is refused. */
  get isIdle(): boolean {
    return this.current === undefined || this.current.body.isComing || this.#isRefused;
  }

  get waiting(): number {
    return Math.max(0, this.#turns.length - 1);
  }

  /** An answer that closes has been begun or promised: what comes behind it is no request any more (RFC 9112, 9.6). */
  get isEnding(): boolean {
    return this.#isEnding || this.#latest?.response.shouldKeepAlive === false;
  }

  /** The body of the last request, after its answer was begun: what is wrong with it concerns nobody. */
  get isDiscarding(): boolean {
    const latest = this.#latest;
    return latest !== undefined && !latest.request.complete && latest.response.headersSent;
  }

  /** In place of the parser's own complaint, when chunks take many times what they carry. */
  whenTooMuchFraming(tell: () => void): void {
    this.#onTooMuchFraming = tell;
  }

  /** Puts a request at the end of the line. */
  add(request: IncomingMessage, response: ServerResponse, refusal: RequestFaultCode | null): Turn {
    // What stands behind one that cannot be read is no request.
    if (refusal !== null) response.shouldKeepAlive = false;
    const turn = { request, response, body: new IncomingBody(request), connection: this, refusal };
    this.#turns.push(turn);
    this.#latest = turn;
    this.#bodyWireBytes = 0;
    if (this.#turns.length > 1 || turn.body.announced === undefined) this.#feed.takeOver();
    return turn;
  }

  /** The one under way will be refused, when its turn comes. */
  refused(): void {
    this.#isRefused = true;
  }

  /** The one under way has its answer. @returns the next, if it may be started */
  next(): Turn | undefined {
    this.#isRefused = false;
    const done = this.#turns.shift();
    if (done?.response.shouldKeepAlive === false) {
      this.#isEnding = true;
      this.#turns = [];
    }
    if (this.#turns.length <= 1) this.#waitingBytes = 0;
    return this.current;
  }

  /** To be called when more of it may be read than before. */
  go(): void {
    this.#feed.go();
  }

  /** Lets the request under way have its answer, and takes nothing more. */
  end(): void {
    this.#isEnding = true;
    this.#turns.length = Math.min(this.#turns.length, 1);
  }

  /** Ends, and throws away what still comes, unparsed. */
  discard(counted: (bytes: number) => void): void {
    this.#isEnding = true;
    this.#feed.drop(counted);
  }

  /** The client has ended its half, and all that it sent has been parsed: the last answer closes. */
  ended(): void {
    const latest = this.#latest;
    if (latest !== undefined && !latest.response.headersSent) latest.response.shouldKeepAlive = false;
    this.#onEnded();
  }

  /** What to do when the client has ended its half. */
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
    // No more than one head: a part of the next would have to arrive in time, and it is we who let it wait.
    const end = bytes.indexOf(HEAD_END);
    return end === -1 ? SLICE_BYTES : Math.min(SLICE_BYTES, end + HEAD_END.length);
  }

  fed(bytes: number): void {
    if (this.waiting > 0) this.#waitingBytes += bytes;
    if (this.#latest?.body.isComing !== true) return;
    this.#bodyWireBytes += bytes;
    if (this.#bodyWireBytes > FRAMING_TIMES * this.#limits.bodyBytesMax + FRAMING_BYTES) this.#onTooMuchFraming();
  }
}

/** After these times it is looked whether it is still there. */
const LOOK_AFTER_MS = [0, 5, 50, 1_000];

/**
 * A client that has ended its half may be waiting for its answer, or may be gone: TCP tells the two apart only when
 * something is sent. So it is sent `100 Continue`, which any client of HTTP/1.1 passes over. One that is gone answers with
 * a reset, which the next such line meets; its connection then closes as that of any client that hangs up.
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
