import { IdleOrder, type Placed } from "./idle-order.ts";

/** Connections by the address of their client, and the addresses by how many they have. */
export class ConnectionsByAddress<Held extends Placed> {
  readonly #byAddress = new Map<string, IdleOrder<Held>>();
  /** At each index, the addresses with so many connections. */
  readonly #bySize: Set<IdleOrder<Held>>[] = [];
  #most = 0;

  add(connection: Held): void {
    const { address } = connection;
    let order = this.#byAddress.get(address);
    if (order === undefined) this.#byAddress.set(address, (order = new IdleOrder()));
    order.add(connection);
    this.#resized(order, order.size - 1);
  }

  /** False if it was not there. */
  delete(connection: Held): boolean {
    const { address } = connection;
    const order = this.#byAddress.get(address);
    if (order?.delete(connection) !== true) return false;
    if (order.size === 0) this.#byAddress.delete(address);
    this.#resized(order, order.size + 1);
    return true;
  }

  *[Symbol.iterator](): Generator<Held> {
    for (const order of this.#byAddress.values()) yield* order;
  }

  /** Of the address with the most connections of those that have an idle one. */
  longestIdle(): Held | undefined {
    for (let size = this.#most; size > 0; size -= 1)
      for (const order of this.#bySize[size] ?? []) {
        const idle = order.longestIdle();
        if (idle !== undefined) return idle;
      }
    return undefined;
  }

  #resized(order: IdleOrder<Held>, before: number): void {
    this.#bySize[before]?.delete(order);
    if (order.size > 0) (this.#bySize[order.size] ??= new Set()).add(order);
    this.#most = Math.max(this.#most, order.size);
    while (this.#most > 0 && (this.#bySize[this.#most]?.size ?? 0) === 0) this.#most -= 1;
  }
}
