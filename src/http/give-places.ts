import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { clientAddress } from "./client-address.ts";
import { ConnectionPlaces } from "./connection-places.ts";
import type { Placed } from "./idle-order.ts";
import type { DropReason } from "./ports.ts";

/**
 * Limits the connections of a server of Node's, which by itself closes each new one while as many as it may have are open:
 * then whoever holds them shuts everybody else out, probes included. Here the one that has been idle longest is closed,
 * as at the public edge.
 */
export function givePlaces(server: Server, max: number, dropped: (reason: DropReason) => void): void {
  const connections = new WeakMap<Socket, PlacedConnection>();
  const places = new ConnectionPlaces<PlacedConnection>(max);

  server.on("connection", (socket: Socket) => {
    const connection = new PlacedConnection(socket);
    connections.set(socket, connection);
    socket.once("close", () => places.leave(connection));
    const gone = places.enter(connection);
    if (gone === undefined) return;
    dropped(gone === connection ? "no_place" : "made_way");
    gone.socket.destroy();
  });
  server.on("request", (request, response) => {
    const connection = connections.get(request.socket);
    if (connection === undefined) return;
    connection.begin(request, response);
    // Nobody is preferred: probes and scrapers are strangers too.
    response.once("close", () => places.answered(connection, false));
  });
}

class PlacedConnection implements Placed {
  readonly socket: Socket;
  /** Of its client; read now, because a closed socket has none. */
  readonly address: string;
  #request: IncomingMessage | undefined;
  #response: ServerResponse | undefined;

  constructor(socket: Socket) {
    this.socket = socket;
    this.address = clientAddress(socket);
  }

  begin(request: IncomingMessage, response: ServerResponse): void {
    this.#request = request;
    this.#response = response;
    response.once("close", () => {
      if (this.#response === response) this.#request = this.#response = undefined;
    });
  }

  /** No answer is being made. */
  get isIdle(): boolean {
    return this.#response === undefined || this.isReceiving;
  }

  /** Its client is sending a body, or reading an answer, as slowly as it likes. */
  get isReceiving(): boolean {
    return this.#request?.complete === false || this.#response?.writableEnded === true;
  }
}
