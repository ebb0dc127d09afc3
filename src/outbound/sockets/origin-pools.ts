import type { OriginPool } from "./origin-pool.ts";

interface OwnedPool {
  readonly pool: OriginPool;
  /** The owner of the first request. All owners may use the pool. */
  readonly owner: string;
}

/**
 * The connection pools of a client, by key. If a source's origins are a pattern, its callers can create a pool for every
 * name, so the number of pools is limited: when it is reached, the owner with the most pools loses an idle one.
 */
export class OriginPools {
  readonly #byKey = new Map<string, OwnedPool>();
  readonly #poolsMax: number;

  constructor(poolsMax: number) {
    this.#poolsMax = poolsMax;
  }

  get(key: string): OriginPool | undefined {
    return this.#byKey.get(key)?.pool;
  }

  *all(): Iterable<OriginPool> {
    for (const { pool } of this.#byKey.values()) yield pool;
  }

  add(key: string, owner: string, pool: OriginPool): OriginPool {
    if (this.#byKey.size >= this.#poolsMax) this.#evictOne();
    this.#byKey.set(key, { pool, owner });
    return pool;
  }

  close(): void {
    for (const pool of this.all()) pool.close();
    this.#byKey.clear();
  }

  /** Closes an idle pool: of the owners with the most pools, the one that has been idle longest. */
  #evictOne(): void {
    const counts = new Map<string, number>();
    for (const { owner } of this.#byKey.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
    let chosen: [string, OwnedPool] | null = null;
    let most = 0;
    for (const [key, originPool] of this.#byKey) {
      const { pool, owner } = originPool;
      if (pool.inFlight > 0 || pool.waiting > 0) continue;
      const count = counts.get(owner)!;
      const isBetter = count > most || (count === most && pool.lastUsedAt < chosen![1].pool.lastUsedAt);
      if (isBetter) [chosen, most] = [[key, originPool], count];
    }
    if (chosen === null) return;
    this.#byKey.delete(chosen[0]);
    chosen[1].pool.close();
  }
}
