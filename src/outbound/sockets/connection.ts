import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Client, type Dispatcher } from "undici";
import { type Destination, SocketOpening, type SocketNeeds } from "./open-socket.ts";

/** What the HTTP client's own types say of its callback; what it passes is one or the other. */
type Connected = (error: Error | null, socket: Socket | null) => void;

/**
 * One HTTP/1.1 connection to a vendor, opened when the first request comes and again when a request finds it closed. It
 * carries one request at a time.
 */
export class Connection {
  readonly #client: Client;
  readonly #closed: (connection: Connection) => void;
  /** The socket failed. An answer that "ends" by it has no end, though the HTTP client may take it for one. */
  failed = false;
  discarded = false;
  #opening: SocketOpening | null = null;
  #socket: Socket | null = null;
  /** How much had been read from the socket when the last request began or ended. */
  #bytesRead = 0;
  #onRead: ((wireBytes: number) => void) | null = null;

  /** @param closed called when its socket has closed, for whatever reason */
  constructor(
    origin: string,
    destination: Destination,
    needs: SocketNeeds,
    keepAliveMs: number,
    headerBytesMax: number,
    closed: (connection: Connection) => void,
  ) {
    this.#closed = closed;
    this.#client = new Client(origin, {
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: headerBytesMax,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
      // The exchange's own timer is absolute; these start anew with every byte.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: (_, callback) => this.#open(destination, needs, callback as Connected),
    });
    // A listener, so that nothing the client has to say of a closed socket can end the process.
    (this.#client as EventEmitter).on("error", ignore);
  }

  get isOpen(): boolean {
    return !this.discarded && this.#socket !== null && !this.#socket.destroyed;
  }

  /**
   * Hands a request to the HTTP client. By a connection that was used before, it does so only after the event loop has
   * polled once more: whatever the vendor sent unasked, or its closing, that lies there by then is seen before anything
   * is written, and a new socket takes the place of this one.
   */
  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    const socket = this.#socket;
    if (socket === null) {
      this.#client.dispatch(request, handler);
      return;
    }
    // The first turn may belong to the round of the loop that is under way and has polled already. The next one does not.
    setImmediate(() =>
      setImmediate(() => {
        if (socket.bytesRead !== this.#bytesRead) socket.destroy();
        this.#client.dispatch(request, handler);
      }),
    );
  }

  /** A request is being written. From now on it is told at each read how many bytes have come, whatever they mean. */
  began(onRead: (wireBytes: number) => void): void {
    this.#bytesRead = this.#socket?.bytesRead ?? 0;
    this.#onRead = onRead;
  }

  /** The request is over: what comes from now on, nobody has asked for. */
  ended(): void {
    this.#bytesRead = this.#socket?.bytesRead ?? 0;
    this.#onRead = null;
  }

  /** Closes it at once, in whatever state it is, and for good. */
  discard(): void {
    if (this.discarded) return;
    this.discarded = true;
    this.#opening?.cancel();
    void this.#client.destroy().catch(ignore);
  }

  #open(destination: Destination, needs: SocketNeeds, connected: Connected): void {
    this.failed = false;
    this.#opening = new SocketOpening(
      destination,
      needs,
      (socket) => {
        this.#opening = null;
        this.#socket = socket;
        this.#bytesRead = socket.bytesRead;
        // Before the client's own listeners, so that this is known when it draws conclusions.
        socket.on("error", () => {
          this.failed = true;
        });
        socket.on("readable", () => this.#onRead?.(socket.bytesRead - this.#bytesRead));
        socket.on("close", () => {
          if (this.#socket === socket) this.#socket = null;
          this.#closed(this);
        });
        connected(null, socket);
      },
      (error) => {
        this.#opening = null;
        connected(error, null);
      },
    );
  }
}

function ignore(): void {}
