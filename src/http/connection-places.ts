import type { Connection } from "./connection.ts";

/**
 * The connections that are open, up to a limit that leaves files for vendors, the store and the probes. When all places
 * are taken, a new client gets that of the one who has asked for nothing for the longest: of a stranger if there is one,
 * else of a caller who is known. So clients who only hold connections cost nobody else his. Who has a request under way
 * keeps his place.
 */
export class ConnectionPlaces {
  readonly #max: number;
  /** Who has asked for something last stands last. */
  readonly #strangers = new Set<Connection>();
  readonly #known = new Set<Connection>();

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#strangers.size + this.#known.size;
  }

  /** Those on which nothing has come yet. */
  get unused(): readonly Connection[] {
    return [...this.#strangers].filter(({ socket }) => socket.bytesRead === 0);
  }

  /** @returns who has to go: another one, or the new one itself */
  enter(connection: Connection): Connection | undefined {
    const gone = this.taken < this.#max ? undefined : (firstIdle(this.#strangers) ?? firstIdle(this.#known) ?? connection); // prettier-ignore
    if (gone !== undefined) this.leave(gone);
    if (gone !== connection) this.#strangers.add(connection);
    return gone;
  }

  /** It has been answered; `asKnown` if it was let in. */
  answered(connection: Connection, asKnown: boolean): void {
    const from = this.#known.has(connection) ? this.#known : this.#strangers;
    // It may have left.
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
