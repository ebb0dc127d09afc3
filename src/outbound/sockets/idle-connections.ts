import type { FairShare } from "../../terms/fair-share.ts";
import type { Connection } from "./connection.ts";

/**
 * The open connections to one origin that nobody uses. Each is kept for the owner that used it and given to no other:
 * whatever a vendor still sends on it, unasked, can at most reach the one it had answered before.
 */
export class IdleConnections {
  /** By owner, the last one used at the end: it is the next one used, and the rest can close. */
  readonly #byOwner = new Map<string, Connection[]>();
  /** Longest idle first. */
  readonly #all = new Map<Connection, string>();
  readonly #share: FairShare;

  /** @param share how many an owner may keep, over all origins */
  constructor(share: FairShare) {
    this.#share = share;
  }

  get size(): number {
    return this.#all.size;
  }

  /** False: its owner keeps as many as it may. */
  put(owner: string, connection: Connection): boolean {
    if (!this.#share.take(owner)) return false;
    this.#all.set(connection, owner);
    const own = this.#byOwner.get(owner);
    if (own === undefined) this.#byOwner.set(owner, [connection]);
    else own.push(connection);
    return true;
  }

  take(owner: string): Connection | undefined {
    const connection = this.#byOwner.get(owner)?.at(-1);
    if (connection !== undefined) this.remove(connection);
    return connection;
  }

  takeOldest(): Connection | undefined {
    const [oldest] = this.#all.keys();
    if (oldest !== undefined) this.remove(oldest);
    return oldest;
  }

  /** False: it is not here. */
  remove(connection: Connection): boolean {
    const owner = this.#all.get(connection);
    if (owner === undefined) return false;
    this.#all.delete(connection);
    this.#share.give(owner);
    const own = this.#byOwner.get(owner)!;
    own.splice(own.lastIndexOf(connection), 1);
    if (own.length === 0) this.#byOwner.delete(owner);
    return true;
  }
}
