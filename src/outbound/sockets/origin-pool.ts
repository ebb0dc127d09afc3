import { FairShare } from "../../terms/fair-share.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";
import { Connection, type ConnectionNeeds } from "./connection.ts";
import { IdleConnections } from "./idle-connections.ts";
import type { OutboundLimits } from "../limits.ts";
import type { Destination } from "./open-socket.ts";

/** A request as the pool handles it. */
export interface Exchangeable {
  /** Whose it is: owners share the connections, and never one connection. */
  readonly owner: string;
  /** Sends it by this connection, which is its own until `leave`. */
  sendBy(connection: Connection): void;
  /** All connections that its owner may have are busy: it has to wait its turn. */
  wait(): void;
  /** There are too many waiting already. */
  turnAway(): void;
  /** Its turn has come. False if it is not to be sent any more, for which it has said why itself. */
  claim(): boolean;
  /** The door is closing. */
  stop(): void;
}

/**
 * The connections to one origin, and who waits for one. A request is handed to a connection only when that is its own, so
 * nothing queues where it could not be taken back. Connections and places in the queue are shared fairly, and
 * those who wait take turns by owner: nobody who could go on is ever waiting.
 */
export class OriginPool {
  readonly origin: string;
  readonly #host: string;
  readonly #destination: Destination;
  readonly #needs: ConnectionNeeds;
  readonly #limits: OutboundLimits;
  readonly #idle: IdleConnections;
  readonly #busy = new Map<Connection, string>();
  readonly #busyShare: FairShare;
  readonly #waiting = new TurnQueue<Exchangeable>();
  readonly #waitingShare: FairShare;
  lastUsedAt = 0;

  /** @param idleShare how many idle connections an owner may keep, over all pools */
  constructor(
    origin: string,
    destination: Destination,
    needs: ConnectionNeeds,
    limits: OutboundLimits,
    idleShare: FairShare,
  ) {
    this.origin = origin;
    this.#host = origin.slice(origin.indexOf("//") + 2);
    this.#destination = destination;
    this.#needs = needs;
    this.#limits = limits;
    this.#idle = new IdleConnections(idleShare, needs.clock, limits.keepAliveMs);
    this.#busyShare = new FairShare(limits.connectionsMax);
    this.#waitingShare = new FairShare(limits.waitingMax);
  }

  get inFlight(): number {
    return this.#busy.size;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  enter(exchange: Exchangeable): void {
    const { owner } = exchange;
    if (this.#busyShare.fits(owner)) {
      if (exchange.claim()) this.#start(exchange);
    } else if (this.#waitingShare.take(owner)) {
      this.#waiting.add(owner, exchange);
      exchange.wait();
    } else {
      exchange.turnAway();
    }
  }

  /** Takes back one that waits. */
  withdraw(exchange: Exchangeable): void {
    if (this.#waiting.remove(exchange.owner, exchange)) this.#waitingShare.give(exchange.owner);
  }

  /** A request is over. Its connection is used again only if nothing about it was out of the ordinary. */
  leave(connection: Connection, reusable: boolean): void {
    const owner = this.#busy.get(connection);
    if (owner === undefined) return;
    this.#busy.delete(connection);
    this.#busyShare.give(owner);
    if (!reusable || !connection.isOpen || !this.#idle.put(owner, connection)) connection.discard();
    this.#serve();
  }

  close(): void {
    for (const exchange of this.#waiting.clear()) {
      this.#waitingShare.give(exchange.owner);
      exchange.stop();
    }
    this.#idle.close();
    for (const connection of this.#busy.keys()) connection.discard();
  }

  /** Lets those go on who now can. */
  #serve(): void {
    const mayGoOn = (owner: string): boolean => this.#busyShare.fits(owner);
    for (let next = this.#waiting.next(mayGoOn); next !== undefined; next = this.#waiting.next(mayGoOn)) {
      this.#waitingShare.give(next.owner);
      if (next.claim()) this.#start(next);
    }
  }

  #start(exchange: Exchangeable): void {
    const { owner } = exchange;
    this.#busyShare.take(owner);
    const connection = this.#idle.take(owner) ?? this.#open();
    this.#busy.set(connection, owner);
    exchange.sendBy(connection);
  }

  #open(): Connection {
    // An idle one of somebody else's makes room: there are never more open than may be busy.
    if (this.#busy.size + this.#idle.size >= this.#limits.connectionsMax) this.#idle.takeOldest()?.discard();
    const closed = (connection: Connection): void => {
      if (this.#idle.remove(connection)) connection.discard();
    };
    return new Connection(this.#host, this.#destination, this.#needs, this.#limits.headerBytesMax, closed);
  }
}
