import { FairShare } from "../../terms/fair-share.ts";
import { LinkedList } from "../../terms/linked-list.ts";
import { TurnQueue } from "../../terms/turn-queue.ts";
import { Connection, type ConnectionNeeds, type Use } from "./connection.ts";
import { IdleConnections } from "./idle-connections.ts";
import type { OutboundLimits } from "../limits.ts";
import type { Destination } from "./open-socket.ts";
import type { SocketPlaces } from "./socket-places.ts";

/** A request, as the pool sees it. */
export interface Exchangeable {
  /** The organization of the request. Owners share the number of connections, but never a connection. */
  readonly owner: string;
  /** Sends the request on this connection, which it uses alone until `leave`. */
  sendBy(connection: Connection): void;
  /** Called if the request has to wait, because all connections that its owner may have are busy. */
  wait(): void;
  /** Called if the request is refused, because too many are waiting. */
  turnAway(): void;
  /**
   * Called before the request gets a connection. Returns false if it must not be sent; it has then reported the reason
   * itself.
   */
  claim(): boolean;
  /** Called if the client closes while the request waits. */
  stop(): void;
}

/**
 * The connections to one origin, and the requests that wait for one. A request gets a connection only for itself, so a
 * waiting request can always be withdrawn. Owners share the connections and the length of the queue fairly, and waiting
 * owners take turns. No request waits while its owner may have a connection, both of this origin and of all origins.
 */
export class OriginPool {
  readonly origin: string;
  readonly #host: string;
  readonly #destination: Destination;
  readonly #needs: ConnectionNeeds;
  readonly #limits: OutboundLimits;
  readonly #idle: IdleConnections;
  readonly #busy = new LinkedList<Use>();
  #inFlight = 0;
  readonly #busyShare: FairShare;
  readonly #waiting = new TurnQueue<Exchangeable>();
  readonly #waitingShare: FairShare;
  readonly #places: SocketPlaces;
  lastUsedAt = 0;

  /**
   * @param idleShare the idle connections of all pools, which owners share
   * @param places the slots of connections that are not idle, of all pools
   */
  constructor(
    origin: string,
    destination: Destination,
    needs: ConnectionNeeds,
    limits: OutboundLimits,
    idleShare: FairShare,
    places: SocketPlaces,
  ) {
    this.origin = origin;
    this.#host = origin.slice(origin.indexOf("//") + 2);
    this.#destination = destination;
    this.#needs = needs;
    this.#limits = limits;
    this.#idle = new IdleConnections(idleShare, needs.clock, limits.keepAliveMs);
    this.#busyShare = new FairShare(limits.connectionsMax);
    this.#waitingShare = new FairShare(limits.waitingMax);
    this.#places = places;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  enter(exchange: Exchangeable): void {
    const { owner } = exchange;
    if (this.#mayStart(owner)) {
      if (exchange.claim()) this.#start(exchange);
    } else if (this.#waitingShare.take(owner)) {
      this.#waiting.add(owner, exchange);
      exchange.wait();
    } else {
      exchange.turnAway();
    }
  }

  /** Removes a waiting request. */
  withdraw(exchange: Exchangeable): void {
    if (this.#waiting.remove(exchange.owner, exchange)) this.#waitingShare.give(exchange.owner);
  }

  /** Returns the connection of a request that has ended. It is reused only if nothing unusual happened on it. */
  leave(connection: Connection, reusable: boolean): void {
    const use = connection.inUse;
    if (use === null) return;
    connection.inUse = null;
    const { owner } = use.item;
    this.#busy.remove(use);
    this.#inFlight -= 1;
    this.#busyShare.give(owner);
    this.#places.give(owner);
    if (!reusable || !connection.isOpen || !this.#idle.put(owner, connection)) connection.discard();
    // Requests to other origins may have waited longer for a slot than those to this one.
    this.#places.serve();
    this.serve();
  }

  close(): void {
    for (const exchange of this.#waiting.clear()) {
      this.#waitingShare.give(exchange.owner);
      exchange.stop();
    }
    this.#idle.close();
    // A copy, because connections leave the list as they end.
    for (const { connection } of Array.from(this.#busy.items())) connection.discard();
  }

  /** Starts the waiting requests that can now be sent. Returns whether there were any. */
  serve(): boolean {
    let started = false;
    const mayGoOn = (owner: string): boolean => this.#mayStart(owner);
    for (let next = this.#waiting.next(mayGoOn); next !== undefined; next = this.#waiting.next(mayGoOn)) {
      this.#waitingShare.give(next.owner);
      if (!next.claim()) continue;
      this.#start(next);
      started = true;
    }
    return started;
  }

  /** Whether an owner may get a connection now. If only a slot is missing, the pool is served when one becomes free. */
  #mayStart(owner: string): boolean {
    if (!this.#busyShare.fits(owner)) return false;
    if (this.#places.fits(owner)) return true;
    this.#places.wait(this);
    return false;
  }

  #start(exchange: Exchangeable): void {
    const { owner } = exchange;
    this.#busyShare.take(owner);
    this.#places.take(owner);
    const connection = this.#idle.take(owner) ?? this.#open();
    connection.inUse = this.#busy.add({ connection, owner });
    this.#inFlight += 1;
    exchange.sendBy(connection);
  }

  #open(): Connection {
    // An idle connection of another owner is closed first, so that busy and idle ones together stay within the limit.
    if (this.#inFlight + this.#idle.size >= this.#limits.connectionsMax) this.#idle.takeOldest()?.discard();
    const closed = (connection: Connection): void => {
      if (this.#idle.remove(connection)) connection.discard();
    };
    return new Connection(this.#host, this.#destination, this.#needs, this.#limits.headerBytesMax, closed);
  }
}
