import { FairShare } from "../../terms/concurrency/fair-share.ts";
import { LinkedList } from "../../terms/collections/linked-list.ts";
import { RoundRobinQueue } from "../../terms/concurrency/round-robin-queue.ts";
import { VendorConnection, type ConnectionNeeds, type ConnectionUse } from "./vendor-connection.ts";
import { IdleConnections } from "./idle-connections.ts";
import type { OutboundLimits } from "../outbound-limits.ts";
import type { Destination } from "./open-socket.ts";

/** A request, as the pool sees it. */
export interface PooledRequest {
  /** The organization of the request. Owners share the number of connections, but never a connection. */
  readonly owner: string;
  /** Sends the request on this connection, which it uses alone until `leave`. */
  sendOn(connection: VendorConnection): void;
  /** Called if the request has to wait, because all connections that its owner may have are busy. */
  onQueued(): void;
  /** Called if the request is refused, because too many are waiting. */
  onQueueFull(): void;
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
  readonly #busy = new LinkedList<ConnectionUse>();
  #inFlight = 0;
  readonly #busyShare: FairShare;
  readonly #waiting = new RoundRobinQueue<PooledRequest>();
  readonly #waitingShare: FairShare;
  readonly #slots: SocketSlots;
  lastUsedAt = 0;

  /**
   * @param idleShare the idle connections of all pools, which owners share
   * @param slots the slots of connections that are not idle, of all pools
   */
  constructor(
    origin: string,
    destination: Destination,
    needs: ConnectionNeeds,
    limits: OutboundLimits,
    idleShare: FairShare,
    slots: SocketSlots,
  ) {
    this.origin = origin;
    this.#host = origin.slice(origin.indexOf("//") + 2);
    this.#destination = destination;
    this.#needs = needs;
    this.#limits = limits;
    this.#idle = new IdleConnections(idleShare, needs.clock, limits.keepAliveMs);
    this.#busyShare = new FairShare(limits.connectionsMax);
    this.#waitingShare = new FairShare(limits.waitingMax);
    this.#slots = slots;
  }

  get inFlight(): number {
    return this.#inFlight;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  enter(exchange: PooledRequest): void {
    const { owner } = exchange;
    if (this.#mayStart(owner)) {
      if (exchange.claim()) this.#start(exchange);
    } else if (this.#waitingShare.take(owner)) {
      this.#waiting.add(owner, exchange);
      exchange.onQueued();
    } else {
      exchange.onQueueFull();
    }
  }

  /** Removes a waiting request. */
  withdraw(exchange: PooledRequest): void {
    if (this.#waiting.remove(exchange.owner, exchange)) this.#waitingShare.give(exchange.owner);
  }

  /** Returns the connection of a request that has ended. It is reused only if nothing unusual happened on it. */
  release(connection: VendorConnection, reusable: boolean): void {
    const use = connection.busyEntry;
    if (use === null) return;
    connection.busyEntry = null;
    const { owner } = use.item;
    this.#busy.remove(use);
    this.#inFlight -= 1;
    this.#busyShare.give(owner);
    this.#slots.give(owner);
    if (!reusable || !connection.isOpen || !this.#idle.put(owner, connection)) connection.discard();
    // Requests to other origins may have waited longer for a slot than those to this one.
    this.#slots.serve();
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

  /**
   * Starts the waiting requests that can now be sent. Returns whether there were any. If only a slot is missing, the pool
   * waits for one again.
   */
  serve(): boolean {
    let started = false;
    const mayStart = (owner: string): boolean => this.#mayStart(owner);
    for (let next = this.#waiting.next(mayStart); next !== undefined; next = this.#waiting.next(mayStart)) {
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
    if (this.#slots.fits(owner)) return true;
    this.#slots.wait(this);
    return false;
  }

  #start(exchange: PooledRequest): void {
    const { owner } = exchange;
    this.#busyShare.take(owner);
    this.#slots.take(owner);
    const connection = this.#idle.take(owner) ?? this.#open();
    connection.busyEntry = this.#busy.add({ connection, owner });
    this.#inFlight += 1;
    exchange.sendOn(connection);
  }

  #open(): VendorConnection {
    // An idle connection of another owner is closed first, so that busy and idle ones together stay within the limit.
    if (this.#inFlight + this.#idle.size >= this.#limits.connectionsMax) this.#idle.takeOldest()?.discard();
    const closed = (connection: VendorConnection): void => {
      if (this.#idle.remove(connection)) connection.discard();
    };
    return new VendorConnection(this.#host, this.#destination, this.#needs, this.#limits.headerBytesMax, closed);
  }
}

/**
 * The slots of connections that are in use or being opened, to all vendors together. Each connection takes a file
 * descriptor of the process, so organizations share the slots: otherwise one that calls many vendors at once could take the
 * descriptors that other organizations, clients and probes need.
 */
export class SocketSlots {
  readonly #share: FairShare;
  /** In the order in which they are served. */
  readonly #waiting = new Set<OriginPool>();

  constructor(max: number) {
    this.#share = new FairShare(max);
  }

  get inUse(): number {
    return this.#share.inUse;
  }

  fits(owner: string): boolean {
    return this.#share.fits(owner);
  }

  take(owner: string): void {
    this.#share.take(owner);
  }

  give(owner: string): void {
    this.#share.give(owner);
  }

  /** Queues a pool, which is served when a slot becomes free. */
  wait(pool: OriginPool): void {
    this.#waiting.add(pool);
  }

  /** Called after a slot has become free. Serves the pools in order until one takes the slot. */
  serve(): void {
    for (let left = this.#waiting.size; left > 0; left -= 1) {
      const [pool] = this.#waiting;
      if (pool === undefined) return;
      this.#waiting.delete(pool);
      if (pool.serve()) return;
    }
  }
}
