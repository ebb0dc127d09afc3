import { OwnedMap } from "../../terms/collections/owned-map.ts";

/**
 * The most limits of inline credentials that an organization may start in one period, in one process. Each limit is a row
 * of the store until the following period has ended, and a client can invent credentials as fast as it gets answers. Stored
 * credentials are not counted, because operators create them.
 */
export const STARTED_MAX = 10_000;
const OWNERS_MAX = 10_000;

interface LimitStarts {
  readonly until: number;
  /**
   * The limits as 32-bit hashes. Without them, a limit that this process has evicted meanwhile would count again each time
   * it is used.
   */
  readonly limits: Set<number>;
}

/** Counts the limits that organizations have started, separately for each length of a period. */
export class StartedLimits {
  readonly #max: number;
  readonly #periods = new OwnedMap<LimitStarts>(OWNERS_MAX);

  constructor(max: number) {
    this.#max = max;
  }

  /** Starts a limit in each of these periods, or in none. Returns false if there are too many already. */
  start(owner: string, limit: string, periodsMs: readonly number[], now: number): boolean {
    const number = hashOf(limit);
    const periods = periodsMs.map((everyMs) => this.#in(owner, everyMs, now));
    if (periods.some(({ limits }) => limits.size >= this.#max && !limits.has(number))) return false;
    for (const { limits } of periods) limits.add(number);
    return true;
  }

  #in(owner: string, everyMs: number, now: number): LimitStarts {
    const key = String(everyMs);
    const known = this.#periods.get(owner, key);
    if (known !== undefined && now < known.until) return known;
    const period = { until: now + everyMs, limits: new Set<number>() };
    this.#periods.set(owner, key, period);
    return period;
  }
}

/** FNV-1a with 32 bits. Among 10,000 limits, the chance that any two have the same hash is about one in a hundred. */
function hashOf(limit: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < limit.length; at += 1) hash = Math.imul(hash ^ limit.charCodeAt(at), 0x01000193);
  return hash | 0;
}
