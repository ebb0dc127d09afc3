import type { Connection } from "./connection.ts";

/** What has to be known about a connection to choose one that makes way. */
export type Placed = Pick<Connection, "address" | "isIdle" | "isReceiving">;

/**
 * Connections in the order of their last request, of which the one that has been idle longest makes way. A flood of new
 * connections asks for one each time, and thousands may be open, so they are not all looked at again each time.
 */
export class IdleOrder<Held extends Placed> {
  readonly #others = new Set<Held>();
  /** Those that had a body arriving when they were looked at. They are added again when they have their answer. */
  readonly #receiving = new Set<Held>();

  get size(): number {
    return this.#others.size + this.#receiving.size;
  }

  has(connection: Held): boolean {
    return this.#others.has(connection) || this.#receiving.has(connection);
  }

  add(connection: Held): void {
    this.#others.add(connection);
  }

  /** False if it was not there. */
  delete(connection: Held): boolean {
    return this.#others.delete(connection) || this.#receiving.delete(connection);
  }

  *[Symbol.iterator](): Generator<Held> {
    yield* this.#others;
    yield* this.#receiving;
  }

  /** One on which no body is arriving, if there is one. */
  longestIdle(): Held | undefined {
    for (const connection of this.#others) {
      if (!connection.isIdle) continue;
      if (!connection.isReceiving) return connection;
      this.#others.delete(connection);
      this.#receiving.add(connection);
    }
    for (const connection of this.#receiving) if (connection.isIdle) return connection;
    return undefined;
  }
}
