import type { Clock } from "../../terms/time/clock.ts";
import type { FairShare } from "../../terms/concurrency/fair-share.ts";
import { LinkedList } from "../../terms/collections/linked-list.ts";
import type { VendorConnection, IdleConnection } from "./vendor-connection.ts";

/**
 * The idle open connections to one origin. Each is kept for the owner that used it and never given to another. So bytes
 * that a vendor sends without a request can only reach the owner whose request the vendor answered on this connection.
 */
export class IdleConnections {
  /**
   * By owner, longest idle first, which is also the order of reuse: the longer a connection has been idle, the less likely
   * it is that more bytes of its last reply arrive.
   */
  readonly #byOwner = new Map<string, LinkedList<IdleConnection>>();
  /** Longest idle first. */
  readonly #all = new LinkedList<IdleConnection>();
  #size = 0;
  readonly #share: FairShare;
  readonly #clock: Clock;
  readonly #idleMaxMs: number;
  #cancelSweep: (() => void) | null = null;

  /** @param share the idle connections of all origins, which owners share */
  constructor(share: FairShare, clock: Clock, idleMaxMs: number) {
    this.#share = share;
    this.#clock = clock;
    this.#idleMaxMs = idleMaxMs;
  }

  get size(): number {
    return this.#size;
  }

  /** Keeps a connection for its owner. Returns false if the owner may keep no more. */
  put(owner: string, connection: VendorConnection): boolean {
    if (!this.#share.take(owner)) return false;
    const idleMs = Math.min(connection.idleMs, this.#idleMaxMs);
    this.#cancelSweep ??= this.#clock.after(idleMs, () => this.#sweep(), "loose");
    let own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, (own = new LinkedList()));
    const entry = { connection, owner, until: this.#clock.now() + idleMs };
    connection.idleEntry = { inAll: this.#all.add(entry), inOwn: own.add(entry) };
    this.#size += 1;
    return true;
  }

  take(owner: string): VendorConnection | undefined {
    const now = this.#clock.now();
    for (;;) {
      const entry = this.#byOwner.get(owner)?.first;
      if (entry === undefined) return undefined;
      const { connection, until } = entry;
      this.remove(connection);
      if (until > now) return connection;
      connection.discard();
    }
  }

  takeOldest(): VendorConnection | undefined {
    const oldest = this.#all.first?.connection;
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }

  /** Removes a connection. Returns false if it is not idle. */
  remove(connection: VendorConnection): boolean {
    const entry = connection.idleEntry;
    if (entry === null) return false;
    connection.idleEntry = null;
    const { owner } = entry.inAll.item;
    this.#all.remove(entry.inAll);
    const own = this.#byOwner.get(owner)!;
    own.remove(entry.inOwn);
    if (own.first === undefined) this.#byOwner.delete(owner);
    this.#share.give(owner);
    this.#size -= 1;
    return true;
  }

  close(): void {
    this.#cancelSweep?.();
    this.#cancelSweep = null;
    for (let idle = this.takeOldest(); idle !== undefined; idle = this.takeOldest()) idle.discard();
  }

  /** Closes expired connections and starts a timer for the next expiry: one timer, instead of one per request. */
  #sweep(): void {
    const now = this.#clock.now();
    let next = Infinity;
    // A copy, because connections leave the list in the loop.
    for (const { connection, until } of Array.from(this.#all.items())) {
      if (until > now) next = Math.min(next, until);
      else if (this.remove(connection)) connection.discard();
    }
    this.#cancelSweep = next === Infinity ? null : this.#clock.after(next - now, () => this.#sweep(), "loose");
  }
}
