import { ConnectionsByAddress } from "./connections-by-address.ts";
import { IdleOrder, type Placed } from "./idle-order.ts";

/**
 * The open connections, up to a limit that leaves files for vendors, the store and the probes. When the limit is reached,
 * a new connection replaces an idle one: of the client address that has the most connections of unknown clients, the one
 * that has been idle longest, and one whose body is still arriving only if there is no other. Known callers lose theirs
 * last. So clients that only hold connections do not block others. A connection with a request in progress is never closed.
 */
export class ConnectionPlaces<Held extends Placed> {
  readonly #max: number;
  readonly #strangers = new ConnectionsByAddress<Held>();
  readonly #known = new IdleOrder<Held>();
  #taken = 0;

  constructor(max: number) {
    this.#max = max;
  }

  get taken(): number {
    return this.#taken;
  }

  *[Symbol.iterator](): Generator<Held> {
    yield* this.#strangers;
    yield* this.#known;
  }

  /** @returns the connection to close: another one, or the new one itself */
  enter(connection: Held): Held | undefined {
    const gone =
      this.#taken < this.#max ? undefined : (this.#strangers.longestIdle() ?? this.#known.longestIdle() ?? connection);
    if (gone !== undefined) this.leave(gone);
    if (gone !== connection) this.#add(connection);
    return gone;
  }

  /** Its request has been answered; `asKnown` if it was authenticated. */
  answered(connection: Held, asKnown: boolean): void {
    const wasKnown = this.#known.has(connection);
    // It may have been closed.
    if (!this.leave(connection)) return;
    if (!asKnown && !wasKnown) return this.#add(connection);
    this.#known.add(connection);
    this.#taken += 1;
  }

  /** False if it had none. */
  leave(connection: Held): boolean {
    const had = this.#known.delete(connection) || this.#strangers.delete(connection);
    if (had) this.#taken -= 1;
    return had;
  }

  #add(connection: Held): void {
    this.#strangers.add(connection);
    this.#taken += 1;
  }
}
