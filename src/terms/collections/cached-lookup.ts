import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "../time/clock.ts";
import { FairShare } from "../concurrency/fair-share.ts";
import { whenSilent } from "../time/when-silent.ts";
import { answeredWithin } from "../time/within.ts";

export interface LookupLimits {
  /** The most cached entries, for hits and for misses each, so that a flood of misses evicts no hits. */
  readonly foundMax: number;
  readonly absentMax: number;
  /**
   * How long a cached result is used without a new look-up. In the second half of this time, the store is queried in
   * the background.
   */
  readonly freshMs: number;
  readonly absentMs: number;
  /** How long a hit is still used while the store does not answer. Entries unused for that long are evicted. */
  readonly staleMs: number;
  readonly waitMs: number;
  /**
   * The most concurrent look-ups of uncached keys, which owners share. Cached keys are never refused because of this
   * limit.
   */
  readonly underwayMax: number;
}

/** Limits for the lists of an organization. A list is never absent: an empty one is a hit. */
export const LIST_LOOKUP: LookupLimits = {
  foundMax: 20_000,
  absentMax: 1,
  freshMs: 60_000,
  absentMs: 0,
  staleMs: 300_000,
  waitMs: 500,
  underwayMax: 1_000,
};

export interface LookupSource<Value> {
  /** Queries the store. Rejects if the store cannot answer. */
  readonly find: (key: string) => Promise<Value>;
  /** Whether a result is a miss. */
  readonly isAbsent: (value: Value) => boolean;
  /** A number that changes whenever any result may have changed. */
  readonly version: () => number;
  /** The owner of a key. Owners share the look-ups, so that one owner's uncached keys do not delay those of others. */
  readonly ownerOf?: (key: string) => string;
}

export interface LookupStats {
  readonly found: number;
  readonly absent: number;
  readonly underway: number;
  readonly lookups: number;
  readonly failures: number;
}

interface CachedValue<Value> {
  readonly value: Value;
  readonly version: number;
  /** When the store was queried, not when it answered: later changes are not included. */
  readonly askedAt: number;
  /** The number of the look-up, by which a late result never replaces a newer one. */
  readonly lookup: number;
}

interface PendingLookup<Value> {
  readonly answer: Promise<Value>;
  readonly version: number;
  readonly askedAt: number;
  readonly lookup: number;
}

/** The shortest time between a failure and the next background look-up. */
const RETRY_MS = 1_000;
/** A store counts as down for this long after its last failure. One that is down and in use fails more often. */
const FAILING_MS = 5_000;
/** A look-up without a result after this time is abandoned, and another one of the same key may start. */
const ABANDON_MS = 2_000;

/**
 * Caches results of a store, so that the store may be slow or down. A key in use is looked up again before its result
 * is too old, so callers only wait for the first use of a key and for the first one after a change. While the store
 * fails, cached results are returned at once.
 */
export class CachedLookup<Value extends object> {
  readonly #source: LookupSource<Value>;
  readonly #clock: Clock;
  readonly #limits: LookupLimits;
  readonly #found: BoundedMap<string, CachedValue<Value>>;
  readonly #absent: BoundedMap<string, CachedValue<Value>>;
  readonly #underway = new Map<string, PendingLookup<Value>>();
  readonly #newKeys: FairShare;
  #isExpiryScheduled = false;
  #open = 0;
  #lookups = 0;
  #failures = 0;
  /** The time of the last failure, unless a look-up has succeeded since. */
  #failedAt = -Infinity;

  constructor(question: LookupSource<Value>, clock: Clock, limits: LookupLimits) {
    this.#source = question;
    this.#clock = clock;
    this.#limits = limits;
    this.#found = new BoundedMap(limits.foundMax);
    this.#absent = new BoundedMap(limits.absentMax);
    this.#newKeys = new FairShare(limits.underwayMax);
  }

  /**
   * Does not wait if the value is cached. Rejects if the store does not answer in time and the key is not cached.
   * @param waitMs how long this caller waits, if less than usual: it may have waited for something else already
   */
  async get(key: string, waitMs = this.#limits.waitMs): Promise<Value> {
    const now = this.#clock.now();
    const version = this.#source.version();
    const found = this.#found.get(key);
    if (found !== undefined) {
      const ageMs = now - found.askedAt;
      if (found.version === version && ageMs < this.#limits.freshMs) {
        if (ageMs * 2 >= this.#limits.freshMs) this.#refreshInBackground(key, version, now);
        return found.value;
      }
      if (now - this.#failedAt < FAILING_MS && ageMs < this.#limits.staleMs) {
        this.#refreshInBackground(key, version, now);
        return found.value;
      }
    } else {
      const absent = this.#absent.get(key);
      if (absent?.version === version && now - absent.askedAt < this.#limits.absentMs) return absent.value;
    }
    const isSeen = found !== undefined || this.#underway.has(key);
    const answer = isSeen ? this.#ask(key, version, now) : this.#askWithinShare(key, version, now);
    try {
      return await (waitMs < this.#limits.waitMs ? this.#within(waitMs, answer) : answer);
    } catch (thrown) {
      return this.#cachedOr(key, thrown);
    }
  }

  /**
   * Looks up an uncached key. Owners share the concurrent look-ups, so that an owner with many missing keys leaves the
   * others their share.
   */
  #askWithinShare(key: string, version: number, now: number): Promise<Value> {
    // A key without an owner is its own owner.
    const owner = this.#source.ownerOf?.(key) ?? key;
    if (!this.#newKeys.take(owner)) return Promise.reject(new Error(`${this.#newKeys.inUse} look-ups are in progress`));
    return this.#ask(key, version, now, () => this.#newKeys.give(owner));
  }

  #within(waitMs: number, answer: Promise<Value>): Promise<Value> {
    return answeredWithin(this.#clock, Math.max(0, waitMs), answer, () => new Error("no time is left to wait"));
  }

  get stats(): LookupStats {
    return {
      found: this.#found.size,
      absent: this.#absent.size,
      underway: this.#open,
      lookups: this.#lookups,
      failures: this.#failures,
    };
  }

  /** The hit that is cached now, if any: another look-up may have succeeded meanwhile. */
  #cachedOr(key: string, thrown: unknown): Value {
    const found = this.#found.get(key);
    if (found !== undefined && this.#clock.now() - found.askedAt < this.#limits.staleMs) return found.value;
    throw thrown;
  }

  #refreshInBackground(key: string, version: number, now: number): void {
    if (now - this.#failedAt >= RETRY_MS) this.#ask(key, version, now).catch(() => {});
  }

  /** Shares one look-up per key and version among all callers. Rejects `waitMs` after the look-up started. */
  #ask(key: string, version: number, now: number, asked?: () => void): Promise<Value> {
    const underway = this.#underway.get(key);
    if (underway?.version === version && now - underway.askedAt < ABANDON_MS) return underway.answer;
    const lookup = (this.#lookups += 1);
    const answer = new Promise<Value>((resolve, reject) => {
      const cancel = whenSilent(this.#clock, this.#limits.waitMs, () => {
        this.#fail();
        reject(new Error(`no answer within ${this.#limits.waitMs} ms`));
      });
      this.#lookUp(key, version, now, lookup)
        .finally(() => {
          cancel();
          asked?.();
        })
        .then(resolve, (thrown: unknown) => {
          this.#fail();
          reject(thrown);
        });
    });
    this.#underway.set(key, { answer, version, askedAt: now, lookup });
    return answer;
  }

  /** Continues when no caller waits any more, because a late result can still be cached. */
  async #lookUp(key: string, version: number, askedAt: number, lookup: number): Promise<Value> {
    this.#open += 1;
    try {
      const value = await this.#source.find(key);
      this.#failedAt = -Infinity;
      this.#cache(key, { value, version, askedAt, lookup });
      return value;
    } finally {
      this.#open -= 1;
      if (this.#underway.get(key)?.lookup === lookup) this.#underway.delete(key);
    }
  }

  #cache(key: string, kept: CachedValue<Value>): void {
    const known = this.#found.get(key) ?? this.#absent.get(key);
    if (known !== undefined && known.lookup > kept.lookup) return;
    const isAbsent = this.#source.isAbsent(kept.value);
    (isAbsent ? this.#found : this.#absent).delete(key);
    (isAbsent ? this.#absent : this.#found).set(key, kept);
    this.#scheduleExpiry();
  }

  /** Evicts unused entries by age alone, because some are secret and their owner may have deleted them. */
  #scheduleExpiry(): void {
    if (this.#isExpiryScheduled) return;
    this.#isExpiryScheduled = true;
    this.#clock.after(
      this.#limits.staleMs,
      () => {
        this.#isExpiryScheduled = false;
        this.#found.age();
        this.#absent.age();
        if (this.#found.size + this.#absent.size > 0) this.#scheduleExpiry();
      },
      "loose",
    );
  }

  #fail(): void {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
  }
}
