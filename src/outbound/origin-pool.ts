import { Connection } from "./connection.ts";
import type { OutboundLimits } from "./limits.ts";
import type { Destination, SocketNeeds } from "./open-socket.ts";

/** A request as the pool handles it. */
export interface Exchangeable {
  /** Sends it by this connection, which is its own until `leave`. */
  sendBy(connection: Connection): void;
  /** All connections are busy: it has to wait its turn. */
  wait(): void;
  /** There are too many waiting already. */
  turnAway(): void;
  /** Its turn has come. False if it is not to be sent any more, for which it has said why itself. */
  claim(): boolean;
  /** The door is closing. */
  stop(): void;
}

/**
 * The connections to one origin, and who waits for one. A request is handed to the HTTP client only when a connection is
 * its own, so nothing queues where it could not be taken back.
 */
export class OriginPool {
  readonly origin: string;
  readonly #destination: Destination;
  readonly #needs: SocketNeeds;
  readonly #limits: OutboundLimits;
  /** The last one used is the next one used: the rest can close. */
  readonly #idle: Connection[] = [];
  readonly #busy = new Set<Connection>();
  readonly #waiting = new Set<Exchangeable>();
  lastUsedAt = 0;

  constructor(origin: string, destination: Destination, needs: SocketNeeds, limits: OutboundLimits) {
    this.origin = origin;
    this.#destination = destination;
    this.#needs = needs;
    this.#limits = limits;
  }

  get inFlight(): number {
    return this.#busy.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  enter(exchange: Exchangeable): void {
    if (this.#busy.size < this.#limits.connectionsMax) {
      this.#start(exchange);
    } else if (this.#waiting.size < this.#limits.waitingMax) {
      this.#waiting.add(exchange);
      exchange.wait();
    } else {
      exchange.turnAway();
    }
  }

  /** Takes back one that waits. */
  withdraw(exchange: Exchangeable): void {
    this.#waiting.delete(exchange);
  }

  /** A request is over. Its connection is used again only if nothing about it was out of the ordinary. */
  leave(connection: Connection, reusable: boolean): void {
    if (!this.#busy.delete(connection)) return;
    if (reusable && !connection.discarded) this.#idle.push(connection);
    else connection.discard();
    for (const exchange of this.#waiting) {
      if (this.#busy.size >= this.#limits.connectionsMax) return;
      this.#waiting.delete(exchange);
      if (exchange.claim()) this.#start(exchange);
    }
  }

  close(): void {
    for (const exchange of this.#waiting) exchange.stop();
    this.#waiting.clear();
    for (const connection of [...this.#idle.splice(0), ...this.#busy]) connection.discard();
  }

  #start(exchange: Exchangeable): void {
    const { keepAliveMs, headerBytesMax } = this.#limits;
    const connection =
      this.#idle.pop() ?? new Connection(this.origin, this.#destination, this.#needs, keepAliveMs, headerBytesMax);
    this.#busy.add(connection);
    exchange.sendBy(connection);
  }
}
