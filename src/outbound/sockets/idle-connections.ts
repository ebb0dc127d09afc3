import type { Clock } from "../../terms/clock.ts";
import type { FairShare } from "../../terms/fair-share.ts";
import type { Connection } from "./connection.ts";

interface Kept {
  readonly owner: string;
  /** When it expires. */
  readonly until: number;
}

/**
 * The idle open connections to one origin. Each is kept for the owner that used it and never given to another: anything
 * that a vendor sends on it unasked can only reach the owner whose request it answered before.
 */
export class IdleConnections {
  /**
   * By owner, longest idle first. That one is reused first: the longer a connection has rested, the surer it is that
   * all that its vendor had to send on it has come.
   */
  readonly #byOwner = new Map<string, Set<Connection>>();
  /** Longest idle first. */
  readonly #all = new Map<Connection, Kept>();
  readonly #share: FairShare;
  readonly #clock: Clock;
  readonly #idleMaxMs: number;
  #cancelSweep: (() => void) | null = null;

  /** @param share how many an owner may keep, over all origins */
  constructor(share: FairShare, clock: Clock, idleMaxMs: number) {
    this.#share = share;
    this.#clock = clock;
    this.#idleMaxMs = idleMaxMs;
  }

  get size(): number {
    return this.#all.size;
  }

  /** Returns false if its owner may keep no more. */
  put(owner: string, connection: Connection): boolean {
    if (!this.#share.take(owner)) return false;
    const idleMs = Math.min(connection.idleMs, this.#idleMaxMs);
    this.#all.set(connection, { owner, until: this.#clock.now() + idleMs });
    this.#cancelSweep ??= this.#clock.after(idleMs, () => this.#sweep(), "loose");
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, new Set([connection]));
    else own.add(connection);
    return true;
  }

  take(owner: string): Connection | undefined {
    const now = this.#clock.now();
    for (;;) {
      const own = this.#byOwner.get(owner);
      if (own === undefined) return undefined;
      const connection = own.values().next().value!;
      const { until } = this.#all.get(connection)!;
      this.remove(connection);
      if (until > now) return connection;
      connection.discard();
    }
  }

  takeOldest(): Connection | undefined {
    const [oldest] = this.#all.keys();
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }

  /** Returns false if it is not in here. */
  remove(connection: Connection): boolean {
    const kept = this.#all.get(connection);
    if (kept === undefined) return false;
    const { owner } = kept;
    this.#all.delete(connection);
    this.#share.give(owner);
    const own = this.#byOwner.get(owner)!;
    own.delete(connection);
    if (own.size === 0) this.#byOwner.delete(owner);
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
    for (const [connection, { until }] of this.#all) {
      if (until > now) next = Math.min(next, until);
      else if (this.remove(connection)) connection.discard();
    }
    this.#cancelSweep = next === Infinity ? null : this.#clock.after(next - now, () => this.#sweep(), "loose");
  }
}
