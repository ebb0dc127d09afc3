import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";
import { Client } from "undici";
import { type Destination, SocketOpening, type SocketNeeds } from "./open-socket.ts";

/** What the HTTP client's own types say of its callback; what it passes is one or the other. */
type Connected = (error: Error | null, socket: Socket | null) => void;

/**
 * One HTTP/1.1 connection to a vendor, opened when the first request comes and again when a request finds it closed. It
 * carries one request at a time.
 */
export class Connection {
  readonly client: Client;
  /** The socket failed. An answer that "ends" by it has no end, though the HTTP client may take it for one. */
  failed = false;
  discarded = false;
  #opening: SocketOpening | null = null;

  constructor(
    origin: string,
    destination: Destination,
    needs: SocketNeeds,
    keepAliveMs: number,
    headerBytesMax: number,
  ) {
    this.client = new Client(origin, {
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
    (this.client as EventEmitter).on("error", ignore);
  }

  /** Closes it at once, in whatever state it is, and for good. */
  discard(): void {
    if (this.discarded) return;
    this.discarded = true;
    this.#opening?.cancel();
    void this.client.destroy().catch(ignore);
  }

  #open(destination: Destination, needs: SocketNeeds, connected: Connected): void {
    this.failed = false;
    this.#opening = new SocketOpening(
      destination,
      needs,
      (socket) => {
        this.#opening = null;
        // Before the client's own listener, so that this is known when it draws conclusions.
        socket.on("error", () => {
          this.failed = true;
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
