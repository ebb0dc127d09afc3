import type { Socket } from "node:net";
import type { PlannedAttempt } from "../../run/ports.ts";
import type { Link } from "../../terms/linked-list.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import { ReplyParser, type ReplyReader } from "../wire/reply-parser.ts";
import { type RequestBytes, requestBytes, type WireRequest } from "../wire/request-bytes.ts";
import { type Destination, SocketOpening, type SocketNeeds } from "./open-socket.ts";
import type { Sendable, SendTurn } from "./send-turn.ts";

/**
 * The sender of a request on a connection. It gets `onReady`, `onSend`, then the events of the reply, and exactly one
 * end.
 */
export interface ReplyHandler extends ReplyReader {
  /** Whether its reply is read leniently. */
  readonly lenient: boolean;
  /** The request could be written now. Returns what must be recorded before. @throws Error to send nothing */
  onReady(): PlannedAttempt;
  /** The request has been recorded, and its first byte is sent as soon as this returns. */
  onSend(): void;
  /** Nothing of the request is kept here any more. Not called for small ones, or if the connection ends before. */
  onWritten(): void;
  /** How many bytes have arrived since `onSend`, whatever they mean. */
  onRead(wireBytes: number): void;
  /** The whole reply has arrived. */
  onEnd(): void;
  /** There will be no whole reply: a `ConnectError`, `LostError`, `BadReplyError`, or what prevented the sending. */
  onError(error: Error): void;
}

/** A connection, and the owner that uses it now. */
export interface Use {
  readonly connection: Connection;
  readonly owner: string;
}

/** A connection that nobody uses. */
export interface Rest extends Use {
  /** When it expires. */
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
  readonly sendTurn: SendTurn;
}

/**
 * Subtracted from the time for which a vendor keeps idle connections, because a request must arrive before that ends.
 */
const IDLE_MARGIN_MS = 2_000;

/** A smaller request is counted until its reply, because to be told of each would cost more. */
const MUCH_BYTES = 64 * 1024;

/**
 * One HTTP/1.1 connection to a vendor. It is opened for the first request, and again when a request finds it closed. It
 * carries one request at a time, and is not used again after anything unusual.
 */
export class Connection implements ReplyReader, Sendable {
  readonly #host: string;
  readonly #destination: Destination;
  readonly #needs: ConnectionNeeds;
  readonly #parser: ReplyParser;
  readonly #closed: (connection: Connection) => void;
  discarded = false;
  /** How long it may stay idle, according to the vendor's last reply. */
  idleMs = Infinity;
  /** Its places in the lists of its pool, which alone changes them. */
  inUse: Link<Use> | null = null;
  resting: { readonly inAll: Link<Rest>; readonly inOwn: Link<Rest> } | null = null;
  #opening: SocketOpening | null = null;
  #socket: Socket | null = null;
  #request: WireRequest | null = null;
  #bytes: RequestBytes | null = null;
  #handler: ReplyHandler | null = null;
  #isSent = false;
  /** Received since the request was sent. */
  #wireBytes = 0;

  /** @param closed called when its socket has ended while the connection was idle */
  constructor(
    host: string,
    destination: Destination,
    needs: ConnectionNeeds,
    headerBytesMax: number,
    closed: (connection: Connection) => void,
  ) {
    this.#host = host;
    this.#destination = destination;
    this.#needs = needs;
    this.#parser = new ReplyParser(headerBytesMax);
    this.#closed = closed;
  }

  get isOpen(): boolean {
    return !this.discarded && this.#socket !== null && !this.#socket.destroyed;
  }

  /**
   * Whether a large request has not been taken by the operating system yet. With TLS, that it has been taken can be
   * known later than a quick reply.
   */
  get isSendingMuch(): boolean {
    return this.#socket !== null && this.#socket.writableLength >= MUCH_BYTES;
  }

  /** Sends a request as soon as possible. If it cannot be sent, `handler` is told once, by `onError`. */
  send(request: WireRequest, handler: ReplyHandler): void {
    this.#request = request;
    this.#handler = handler;
    if (this.#socket === null) this.#open();
    else this.#needs.sendTurn.addAfterPoll(this);
  }

  /** Closes it at once and for good, in any state. */
  discard(): void {
    if (this.discarded) return;
    this.discarded = true;
    this.#opening?.cancel();
    const handler = this.#takeHandler();
    this.#drop();
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
        socket.on("error", (error: NodeJS.ErrnoException) => this.#lose(socket, error.message, error.code));
        socket.on("end", () => this.#onEndOfStream(socket));
        socket.on("close", () => this.#lose(socket, "the connection was closed"));
        this.#needs.sendTurn.add(this);
      },
      (error) => {
        this.#opening = null;
        this.#fail(error);
      },
      (bytes, socket) => this.#read(bytes, socket),
    );
  }

  prepare(): PlannedAttempt | null {
    // The request has been given up.
    if (this.#handler === null) return null;
    try {
      // The previous reply arrived before its request was fully sent: the vendor could read the rest of it as anything.
      if (this.#socket !== null && this.#socket.writableLength > 0) this.#drop();
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
    // The request was given up while others of this turn were being prepared.
    if (socket === null || request === null || bytes === null || handler === null) return;
    // It cannot be sent again, so it is not kept.
    this.#request = null;
    this.#bytes = null;
    this.#isSent = true;
    this.#wireBytes = 0;
    handler.onSend();
    this.#parser.begin(request.method, this, handler.lenient);
    const written = request.bodyBytes < MUCH_BYTES ? undefined : () => handler.onWritten();
    if (bytes.rest === null) {
      socket.write(bytes.text, "latin1", written);
    } else {
      socket.cork();
      socket.write(bytes.text, "latin1");
      socket.write(bytes.rest, written);
      socket.uncork();
    }
  }

  // ---- receiving --------------------------------------------------------------------------------------------------

  /** `bytes` are only valid during the call. */
  #read(bytes: Buffer, socket: Socket): void {
    if (socket !== this.#socket) return;
    if (!this.#isSent) return this.#lose(socket, "bytes came that nobody had asked for");
    this.#wireBytes += bytes.length;
    this.#handler!.onRead(this.#wireBytes);
    if (!this.#isSent) return;
    try {
      const used = this.#parser.read(bytes);
      if (this.#isSent && this.#parser.isOver) this.#complete(used === bytes.length);
    } catch (problem) {
      // Usually a bad reply. Any other error concerns only this request too.
      this.#fail(problem as Error);
    }
  }

  onHead(status: number, fields: ReplyFields): void {
    this.#handler?.onHead(status, fields);
  }

  /** Copies the bytes: they lie in a buffer that other connections are read into too. */
  onBody(piece: Buffer): void {
    this.#handler?.onBody(Buffer.from(piece));
  }

  /** Bytes after the reply answer no request, so the connection is not reused. */
  #complete(isAll: boolean): void {
    const { keepAlive } = this.#parser;
    const handler = this.#takeHandler()!;
    this.idleMs = keepAlive?.idleMs == null ? Infinity : keepAlive.idleMs - IDLE_MARGIN_MS;
    // A request that its vendor has not taken would be kept with the connection.
    if (!isAll || keepAlive === null || this.idleMs <= 0 || this.isSendingMuch) this.#drop();
    handler.onEnd();
  }

  // ---- ending -----------------------------------------------------------------------------------------------------

  #onEndOfStream(socket: Socket): void {
    if (socket === this.#socket && this.#isSent && this.#parser.end()) this.#complete(true);
    else this.#lose(socket, "the vendor closed the connection");
  }

  #lose(socket: Socket, message: string, code?: string): void {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.#isSent) this.#fail(new LostError(message, code));
    // If a request is about to be sent, `prepare` will find the connection closed.
    else if (this.#handler === null) this.#closed(this);
  }

  #fail(error: Error): void {
    if (this.#isSent) this.#drop();
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

  #drop(): void {
    const socket = this.#socket;
    this.#socket = null;
    socket?.destroy();
  }
}
