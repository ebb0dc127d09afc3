import type { Socket } from "node:net";
import type { PlannedAttempt } from "../../run/ports.ts";
import type { Link } from "../../terms/collections/linked-list.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import { ReplyParser, type ReplyReader } from "../wire/reply-parser.ts";
import { type RequestBytes, requestBytes, type WireRequest } from "../wire/request-bytes.ts";
import { type Destination, SocketOpening, type SocketNeeds } from "./open-socket.ts";
import type { Sendable, SendBatcher } from "./send-batcher.ts";

/**
 * The sender of a request on a connection. The connection calls `onReady` and `onSend`, then reports the reply, and ends
 * with one call of either `onEnd` or `onError`.
 */
export interface ReplyHandler extends ReplyReader {
  /** Whether the reply may violate HTTP/1.1. */
  readonly lenient: boolean;
  /**
   * Called when the request can be written. Returns the attempt that must be recorded first. @throws Error to send
   * nothing
   */
  onReady(): PlannedAttempt;
  /** Called when the attempt has been recorded. The first byte of the request is sent as soon as this returns. */
  onSend(): void;
  /**
   * Called when the connection keeps nothing of the request. Not called for small requests, or if the connection ends
   * first.
   */
  onWritten(): void;
  /** Called with the number of bytes that have arrived since `onSend`, framing included. */
  onRead(wireBytes: number): void;
  /** Called when the whole reply has arrived. */
  onEnd(): void;
  /**
   * Called if the reply will not be complete: with a `ConnectError`, `LostError`, `BadReplyError`, or the error of
   * `onReady`.
   */
  onError(error: Error): void;
}

/** A connection, and the owner that uses it now. */
export interface ConnectionUse {
  readonly connection: VendorConnection;
  readonly owner: string;
}

/** An idle connection. */
export interface IdleConnection extends ConnectionUse {
  /** When it expires (`Clock.now`). */
  readonly until: number;
}

/** An open connection has ended. */
export class LostError extends Error {
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

export interface ConnectionNeeds extends SocketNeeds {
  readonly sendBatcher: SendBatcher;
}

/**
 * Subtracted from the time for which a vendor keeps idle connections, because a request must arrive before that ends.
 */
const IDLE_MARGIN_MS = 2_000;

/** The memory of a smaller request stays reserved until its reply: a callback for each write would cost more. */
const LARGE_BYTES = 64 * 1024;

/**
 * One HTTP/1.1 connection to a vendor. It is opened for the first request, and again when a request finds it closed. It
 * carries one request at a time, and is not used again after anything unusual.
 */
export class VendorConnection implements ReplyReader, Sendable {
  readonly #host: string;
  readonly #destination: Destination;
  readonly #needs: ConnectionNeeds;
  readonly #parser: ReplyParser;
  readonly #closed: (connection: VendorConnection) => void;
  isDiscarded = false;
  /** How long it may stay idle, according to the vendor's last reply. */
  idleMs = Infinity;
  /** The connection's entries in the lists of its pool. Only the pool changes them. */
  busyEntry: Link<ConnectionUse> | null = null;
  idleEntry: { readonly inAll: Link<IdleConnection>; readonly inOwn: Link<IdleConnection> } | null = null;
  #opening: SocketOpening | null = null;
  #socket: Socket | null = null;
  #request: WireRequest | null = null;
  #bytes: RequestBytes | null = null;
  #handler: ReplyHandler | null = null;
  #isSent = false;
  /** Bytes received since the request was sent. */
  #wireBytes = 0;

  /** @param closed called when its socket has ended while the connection was idle */
  constructor(
    host: string,
    destination: Destination,
    needs: ConnectionNeeds,
    headerBytesMax: number,
    closed: (connection: VendorConnection) => void,
  ) {
    this.#host = host;
    this.#destination = destination;
    this.#needs = needs;
    this.#parser = new ReplyParser(headerBytesMax);
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return !this.isDiscarded && this.#socket !== null && !this.#socket.destroyed;
  }

  /**
   * Whether a large part of the request has not been handed to the operating system yet. With TLS, a quick reply can
   * arrive before this is known.
   */
  get hasMuchUnsent(): boolean {
    return this.#socket !== null && this.#socket.writableLength >= LARGE_BYTES;
  }

  /** Sends a request as soon as possible. If it cannot be sent, `handler.onError` is called once. */
  send(request: WireRequest, handler: ReplyHandler): void {
    this.#request = request;
    this.#handler = handler;
    if (this.#socket === null) this.#open();
    else this.#needs.sendBatcher.addAfterPoll(this);
  }

  /** Closes it at once and for good, in any state. */
  discard(): void {
    if (this.isDiscarded) return;
    this.isDiscarded = true;
    this.#opening?.cancel();
    const handler = this.#takeHandler();
    this.#destroySocket();
    handler?.onError(new LostError("the connection was given up"));
  }

  // ---- sending -----------------------------------------------------------------------------------------------------

  #open(): void {
    this.#opening = new SocketOpening(
      this.#destination,
      this.#needs,
      (socket) => {
        this.#opening = null;
        this.#socket = socket;
        socket.on("error", (error: NodeJS.ErrnoException) => this.#onSocketLost(socket, error.message, error.code));
        socket.on("end", () => this.#onEndOfStream(socket));
        socket.on("close", () => this.#onSocketLost(socket, "the connection was closed"));
        this.#needs.sendBatcher.add(this);
      },
      (error) => {
        this.#opening = null;
        this.#fail(error);
      },
      (bytes, socket) => this.#read(bytes, socket),
    );
  }

  prepare(): PlannedAttempt | null {
    // The request has been cancelled.
    if (this.#handler === null) return null;
    try {
      // The previous reply arrived before its request was sent completely: the vendor could misread the rest of that request.
      if (this.#socket !== null && this.#socket.writableLength > 0) this.#destroySocket();
      if (this.#socket === null) throw new LostError("the connection was found closed");
      this.#bytes = requestBytes(this.#request!, this.#host);
      return this.#handler.onReady();
    } catch (problem) {
      this.#fail(problem as Error);
      return null;
    }
  }

  refuse(error: Error): void {
    this.#fail(error);
  }

  write(): void {
    const [socket, request, bytes, handler] = [this.#socket, this.#request, this.#bytes, this.#handler];
    // The request was cancelled while others of this batch were being prepared.
    if (socket === null || request === null || bytes === null || handler === null) return;
    // A request is never sent twice, so it is not kept.
    this.#request = null;
    this.#bytes = null;
    this.#isSent = true;
    this.#wireBytes = 0;
    handler.onSend();
    this.#parser.begin(request.method, this, handler.lenient);
    const written = request.bodyBytes < LARGE_BYTES ? undefined : () => handler.onWritten();
    if (bytes.body === null) {
      socket.write(bytes.text, "latin1", written);
    } else {
      socket.cork();
      socket.write(bytes.text, "latin1");
      socket.write(bytes.body, written);
      socket.uncork();
    }
  }

  // ---- receiving --------------------------------------------------------------------------------------------------

  /** `bytes` are only valid during the call. */
  #read(bytes: Buffer, socket: Socket): void {
    if (socket !== this.#socket) return;
    if (!this.#isSent) return this.#onSocketLost(socket, "bytes arrived without a request");
    this.#wireBytes += bytes.length;
    this.#handler!.onRead(this.#wireBytes);
    if (!this.#isSent) return;
    try {
      const used = this.#parser.read(bytes);
      if (this.#isSent && this.#parser.isOver) this.#complete(used === bytes.length);
    } catch (problem) {
      // Usually a bad reply. Any other error fails only this request, too.
      this.#fail(problem as Error);
    }
  }

  onHead(status: number, fields: ReplyFields): void {
    this.#handler?.onHead(status, fields);
  }

  /** Copies the bytes, because other connections are read into the same buffer. */
  onBody(piece: Buffer): void {
    this.#handler?.onBody(Buffer.from(piece));
  }

  /** Bytes after the reply answer no request, so the connection is not reused. */
  #complete(isAll: boolean): void {
    const { keepAlive } = this.#parser;
    const handler = this.#takeHandler()!;
    this.idleMs = keepAlive?.idleMs == null ? Infinity : keepAlive.idleMs - IDLE_MARGIN_MS;
    // An idle connection would keep the unsent rest of its request in memory.
    if (!isAll || keepAlive === null || this.idleMs <= 0 || this.hasMuchUnsent) this.#destroySocket();
    handler.onEnd();
  }

  // ---- ending -----------------------------------------------------------------------------------------------------

  #onEndOfStream(socket: Socket): void {
    if (socket === this.#socket && this.#isSent && this.#parser.end()) this.#complete(true);
    else this.#onSocketLost(socket, "the vendor closed the connection");
  }

  #onSocketLost(socket: Socket, message: string, code?: string): void {
    if (socket !== this.#socket) return;
    this.#destroySocket();
    if (this.#isSent) this.#fail(new LostError(message, code));
    // If a request is about to be sent, `prepare` will find the connection closed.
    else if (this.#handler === null) this.#closed(this);
  }

  #fail(error: Error): void {
    if (this.#isSent) this.#destroySocket();
    this.#takeHandler()?.onError(error);
  }

  #takeHandler(): ReplyHandler | null {
    const handler = this.#handler;
    this.#handler = null;
    this.#request = null;
    this.#bytes = null;
    this.#isSent = false;
    this.#parser.stop();
    return handler;
  }

  #destroySocket(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }
}
