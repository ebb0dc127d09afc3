import type { Connection } from "./connection.ts";

/**
 * The open connections, up to a limit that leaves files for vendors, the store and the probes. When the limit is reached,
 * a new connection replaces the one that has been idle longest: first one of an unknown client, otherwise one of a known
 * caller. So clients that only hold connections do not block others. A connection with a request in progress is never
 * closed.
 */
export class ConnectionPlaces {
  readonly #max: number;
  /** In the order of their last request. */
  readonly #strangers = new Set<Connection>();
  readonly #known = new Set<Connection>();

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#strangers.size + this.#known.size;
  }

  /** Connections on which nothing has arrived yet. */
  get unused(): readonly Connection[] {
    return [...this.#strangers].filter(({ socket }) => socket.bytesRead === 0);
  }

  /** @returns the connection to close: another one, or the new one itself */
  enter(connection: Connection): Connection | undefined {
    const gone = this.taken < this.#max ? undefined : (firstIdle(this.#strangers) ?? firstIdle(this.#known) ?? connection); // prettier-ignore
    if (gone !== undefined) this.leave(gone);
    if (gone !== connection) this.#strangers.add(connection);
    return gone;
  }

  /** Its request has been answered; `asKnown` if it was authenticated. */
  answered(connection: Connection, asKnown: boolean): void {
    const from = this.#known.has(connection) ? this.#known : this.#strangers;
    // It may have been closed.
    if (!from.delete(connection)) return;
    (asKnown ? this.#known : from).add(connection);
  }

  leave(connection: Connection): void {
    this.#strangers.delete(connection);
    this.#known.delete(connection);
  }
}

function firstIdle(connections: ReadonlySet<Connection>): Connection | undefined {
  for (const connection of connections) if (connection.isIdle) return connection;
  return undefined;
}
