import type { Socket } from "node:net";
import type { PlannedAttempt } from "../../run/ports.ts";
import type { Fault } from "../../terms/fault.ts";
import type { ReplyFields } from "../wire/reply-head.ts";
import { ReplyParser, type ReplyReader } from "../wire/reply-parser.ts";
import { type RequestBytes, requestBytes, type WireRequest } from "../wire/request-bytes.ts";
import { type Destination, SocketOpening, type SocketNeeds } from "./open-socket.ts";
import type { Sendable, SendTurn } from "./send-turn.ts";

/** Who sends a request by a connection, and what it is told: `onReady`, `onSend`, then of the reply, and one end. */
export interface ReplyHandler extends ReplyReader {
  /** It could be written now. Gives what must be on record before. @throws Error to send nothing */
  onReady(): PlannedAttempt;
  /** It is on record, and its first byte goes out as soon as this returns. */
  onSend(): void;
  /** So many bytes have come since then, whatever they mean. */
  onRead(wireBytes: number): void;
  /** The whole reply has come. */
  onEnd(): void;
  /** It comes to nothing: a `ConnectError`, `LostError`, `BadReplyError`, or what stopped it before it was sent. */
  onError(error: Error): void;
}

/** A connection that was open has ended. */
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

/** What a vendor's own limit on idle connections is undercut by: the request has to get there before its end. */
const IDLE_MARGIN_MS = 2_000;

/**
 * One HTTP/1.1 connection to a vendor, opened when the first request comes and again when a request finds it closed. It
 * carries one request at a time, and never a second one after anything out of the ordinary.
 */
export class Connection implements ReplyReader, Sendable {
  readonly #host: string;
  readonly #destination: Destination;
  readonly #needs: ConnectionNeeds;
  readonly #parser: ReplyParser;
  readonly #closed: (connection: Connection) => void;
  discarded = false;
  /** How long it may stay unused, by the vendor's last word. */
  idleMs = Infinity;
  #opening: SocketOpening | null = null;
  #socket: Socket | null = null;
  #request: WireRequest | null = null;
  #bytes: RequestBytes | null = null;
  #handler: ReplyHandler | null = null;
  #isSent = false;
  /** Since the request was sent. */
  #wireBytes = 0;

  /** @param closed called when its socket has ended while nobody used it */
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

  /** Sends a request as soon as it may be. Of one that is not sent `handler` hears once, by `onError`. */
  send(request: WireRequest, handler: ReplyHandler): void {
    this.#request = request;
    this.#handler = handler;
    if (this.#socket === null) this.#open();
    else this.#needs.sendTurn.addAfterPoll(this);
  }

  /** Closes it at once, in whatever state it is, and for good. */
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
    // Nobody waits for it any more.
    if (this.#handler === null) return null;
    try {
      // The reply before came while its request was still on its way out: who knows what the vendor takes the rest for.
      if (this.#socket !== null && this.#socket.writableLength > 0) this.#drop();
      if (this.#socket === null) throw new LostError("the connection was found closed");
      this.#bytes = requestBytes(this.#request!, this.#host);
      return this.#handler.onReady();
    } catch (problem) {
      this.#fail(problem as Error);
      return null;
    }
  }

  refuse(fault: Fault): void {
    this.#fail(fault);
  }

  write(): void {
    const [socket, bytes, handler] = [this.#socket, this.#bytes, this.#handler];
    // It was given up while others of its turn were asked.
    if (socket === null || bytes === null || handler === null) return;
    this.#bytes = null;
    this.#isSent = true;
    this.#wireBytes = 0;
    handler.onSend();
    this.#parser.begin(this.#request!.method, this);
    if (bytes.rest === null) {
      socket.write(bytes.text, "latin1");
    } else {
      socket.cork();
      socket.write(bytes.text, "latin1");
      socket.write(bytes.rest);
      socket.uncork();
    }
  }

  // ---- what comes --------------------------------------------------------------------------------------------------

  /** `bytes` are lent. */
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
      // A bad reply, as a rule. Whatever else it is, it is this request's alone.
      this.#fail(problem as Error);
    }
  }

  onHead(status: number, fields: ReplyFields): void {
    this.#handler?.onHead(status, fields);
  }

  /** The one place in which bytes are kept: all that is read of plain connections lies in one buffer. */
  onBody(piece: Buffer): void {
    this.#handler?.onBody(Buffer.from(piece));
  }

  /** What follows a reply, nobody has asked for. */
  #complete(isAll: boolean): void {
    const { keepAlive } = this.#parser;
    const handler = this.#takeHandler()!;
    this.idleMs = keepAlive?.idleMs == null ? Infinity : keepAlive.idleMs - IDLE_MARGIN_MS;
    if (!isAll || keepAlive === null || this.idleMs <= 0) this.#drop();
    handler.onEnd();
  }

  // ---- ends --------------------------------------------------------------------------------------------------------

  #onEndOfStream(socket: Socket): void {
    if (socket === this.#socket && this.#isSent && this.#parser.end()) this.#complete(true);
    else this.#lose(socket, "the vendor closed the connection");
  }

  #lose(socket: Socket, message: string, code?: string): void {
    if (socket !== this.#socket) return;
    this.#drop();
    if (this.#isSent) this.#fail(new LostError(message, code));
    // A request that is about to be sent finds it closed.
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
