import type { Connection } from "./connection.ts";

/**
 * The open connections, up to a limit that leaves files for vendors, the store and the probes. When the limit is reached,
 * a new connection replaces an idle one: of the client address that has the most connections of unknown clients, the one
 * that has been idle longest, and one whose body is still arriving only if there is no other. Known callers lose theirs
 * last. So clients that only hold connections do not block others. A connection with a request in progress is never closed.
 */
export class ConnectionPlaces {
  readonly #max: number;
  /** By address, each in the order of their last request. */
  readonly #strangers = new Map<string, Set<Connection>>();
  readonly #known = new Set<Connection>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Connections on which nothing has arrived yet. */
  get unused(): readonly Connection[] {
    return [...this.#strangers.values()].flatMap((of) => [...of]).filter(({ socket }) => socket.bytesRead === 0);
  }

  /** @returns the connection to close: another one, or the new one itself */
  enter(connection: Connection): Connection | undefined {
    const gone = this.#taken < this.#max ? undefined : (this.#idleStranger() ?? firstIdle(this.#known) ?? connection);
    if (gone !== undefined) this.leave(gone);
    if (gone !== connection) this.#add(connection);
    return gone;
  }

  /** Its request has been answered; `asKnown` if it was authenticated. */
  answered(connection: Connection, asKnown: boolean): void {
    const wasKnown = this.#known.has(connection);
    // It may have been closed.
    if (!this.leave(connection)) return;
    if (!asKnown && !wasKnown) return this.#add(connection);
    this.#known.add(connection);
    this.#taken += 1;
  }

  /** False if it had none. */
  leave(connection: Connection): boolean {
    const { address } = connection;
    const strangers = this.#strangers.get(address);
    const had = this.#known.delete(connection) || strangers?.delete(connection) === true;
    if (strangers?.size === 0) this.#strangers.delete(address);
    if (had) this.#taken -= 1;
    return had;
  }

  #add(connection: Connection): void {
    const { address } = connection;
    const strangers = this.#strangers.get(address) ?? new Set();
    this.#strangers.set(address, strangers.add(connection));
    this.#taken += 1;
  }

  #idleStranger(): Connection | undefined {
    let most = 0;
    let found: Connection | undefined;
    for (const strangers of this.#strangers.values()) {
      if (strangers.size <= most) continue;
      const idle = firstIdle(strangers);
      if (idle === undefined) continue;
      most = strangers.size;
      found = idle;
    }
    return found;
  }
}

/** One on which no body is arriving, if there is one. */
function firstIdle(connections: ReadonlySet<Connection>): Connection | undefined {
  let receiving: Connection | undefined;
  for (const connection of connections) {
    if (!connection.isIdle) continue;
    if (!connection.isReceiving) return connection;
    receiving ??= connection;
  }
  return receiving;
}
