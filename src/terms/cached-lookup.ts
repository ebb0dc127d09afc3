import { BoundedMap } from "./bounded-map.ts";
import type { Clock } from "./clock.ts";
import { FairShare } from "./fair-share.ts";
import { within } from "./within.ts";

export interface LookupLimits {
  /** Entries kept of what was found, and apart from them of what was not, so that a flood of misses evicts nothing good. */
  readonly foundMax: number;
  readonly absentMax: number;
  /** How long an answer is given without asking again. From half of it on, the store is asked behind the answer. */
  readonly freshMs: number;
  readonly absentMs: number;
  /** How long something found is still given while the store does not answer. What was not used for so long is forgotten. */
  readonly staleMs: number;
  readonly waitMs: number;
  /** Look-ups of unseen keys under way at once, shared by their owners. Keys that are known are never refused for this. */
  readonly underwayMax: number;
}

export interface LookupQuestion<Value> {
  /** Asks the store. Rejects when it cannot answer. */
  readonly find: (key: string) => Promise<Value>;
  /** Whether an answer says that there is nothing. */
  readonly isAbsent: (value: Value) => boolean;
  /** Changes when any answer may have. */
  readonly version: () => number;
  /** On whose behalf a key is asked for, so that nobody's unseen keys keep those of others waiting. */
  readonly ownerOf?: (key: string) => string;
}

export interface LookupStats {
  readonly found: number;
  readonly absent: number;
  readonly underway: number;
  readonly lookups: number;
  readonly failures: number;
}

interface Kept<Value> {
  readonly value: Value;
  readonly version: number;
  /** When the store was asked, not when it answered: what changed in between is not in it. */
  readonly askedAt: number;
  /** Look-ups are numbered, so that a late answer never replaces a newer one. */
  readonly lookup: number;
}

interface Underway<Value> {
  readonly answer: Promise<Value>;
  readonly version: number;
  readonly askedAt: number;
  readonly lookup: number;
}

/** After a failure, known keys are asked for again no sooner than this. */
const RETRY_MS = 1_000;
/** So long after its last failure a store is taken for down. While it is down and in use, failures come more often. */
const FAILING_MS = 5_000;
/** A look-up that has hung for so long is given up, and another one of the same key may start. */
const ABANDON_MS = 2_000;

/**
 * Answers of a store, kept in memory so that the store may be slow or down. A key in use is looked up again before it
 * is too old, so only the first use and the one after a change ever wait; and while the store fails, what is known is
 * given at once.
 */
export class CachedLookup<Value extends object> {
  readonly #question: LookupQuestion<Value>;
  readonly #clock: Clock;
  readonly #limits: LookupLimits;
  readonly #found: BoundedMap<string, Kept<Value>>;
  readonly #absent: BoundedMap<string, Kept<Value>>;
  readonly #underway = new Map<string, Underway<Value>>();
  readonly #unseen: FairShare;
  #forgets = false;
  #open = 0;
  #lookups = 0;
  #failures = 0;
  /** Of the last failure, if nothing has succeeded since. */
  #failedAt = -Infinity;

  constructor(question: LookupQuestion<Value>, clock: Clock, limits: LookupLimits) {
    this.#question = question;
    this.#clock = clock;
    this.#limits = limits;
    this.#found = new BoundedMap(limits.foundMax);
    this.#absent = new BoundedMap(limits.absentMax);
    this.#unseen = new FairShare(limits.underwayMax);
  }

  /**
   * A value when it is in memory. Rejects when the store does not answer in time and the key is not known.
   * @param waitMs how long this asker waits, if that is less than others do: it may have waited for something else already
   */
  get(key: string, waitMs = this.#limits.waitMs): Value | Promise<Value> {
    const value = this.#get(key);
    return value instanceof Promise && waitMs < this.#limits.waitMs ? this.#within(key, waitMs, value) : value;
  }

  #get(key: string): Value | Promise<Value> {
    const now = this.#clock.now();
    const version = this.#question.version();
    const found = this.#found.get(key);
    if (found !== undefined) {
      const ageMs = now - found.askedAt;
      if (found.version === version && ageMs < this.#limits.freshMs) {
        if (ageMs * 2 >= this.#limits.freshMs) this.#askBehind(key, version, now);
        return found.value;
      }
      if (now - this.#failedAt < FAILING_MS && ageMs < this.#limits.staleMs) {
        this.#askBehind(key, version, now);
        return found.value;
      }
      return this.#ask(key, version, now).catch((thrown: unknown) => this.#knownOr(key, thrown));
    }
    const absent = this.#absent.get(key);
    if (absent?.version === version && now - absent.askedAt < this.#limits.absentMs) return absent.value;
    return this.#underway.has(key) ? this.#ask(key, version, now) : this.#askUnseen(key, version, now);
  }

  /** Owners share what may be asked for at once: one who asks for what does not exist leaves the others as much. */
  #askUnseen(key: string, version: number, now: number): Promise<Value> {
    // A key that is nobody's is its own.
    const owner = this.#question.ownerOf?.(key) ?? key;
    if (!this.#unseen.take(owner)) return Promise.reject(new Error(`${this.#unseen.inUse} look-ups are under way`));
    return this.#ask(key, version, now, () => this.#unseen.give(owner));
  }

  #within(key: string, waitMs: number, answer: Promise<Value>): Promise<Value> {
    const inTime = within(this.#clock, Math.max(0, waitMs), answer, () => new Error("no time is left to wait"));
    return inTime.catch((thrown: unknown) => this.#knownOr(key, thrown));
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

  /** What is known by now: another look-up may have answered meanwhile, with yes or with no. */
  #knownOr(key: string, thrown: unknown): Value {
    const found = this.#found.get(key);
    if (found !== undefined && this.#clock.now() - found.askedAt < this.#limits.staleMs) return found.value;
    throw thrown;
  }

  #askBehind(key: string, version: number, now: number): void {
    if (now - this.#failedAt >= RETRY_MS) this.#ask(key, version, now).catch(() => {});
  }

  /** One look-up a key and version, whoever asks; it rejects once `waitMs` have passed since it began. */
  #ask(key: string, version: number, now: number, asked?: () => void): Promise<Value> {
    const underway = this.#underway.get(key);
    if (underway?.version === version && now - underway.askedAt < ABANDON_MS) return underway.answer;
    const lookup = (this.#lookups += 1);
    const answer = new Promise<Value>((resolve, reject) => {
      const cancel = this.#clock.after(this.#limits.waitMs, () => {
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

  /** Goes on after nobody waits any more: a late answer is an answer. */
  async #lookUp(key: string, version: number, askedAt: number, lookup: number): Promise<Value> {
    this.#open += 1;
    try {
      const value = await this.#question.find(key);
      this.#failedAt = -Infinity;
      this.#keep(key, { value, version, askedAt, lookup });
      return value;
    } finally {
      this.#open -= 1;
      if (this.#underway.get(key)?.lookup === lookup) this.#underway.delete(key);
    }
  }

  #keep(key: string, kept: Kept<Value>): void {
    const known = this.#found.get(key) ?? this.#absent.get(key);
    if (known !== undefined && known.lookup > kept.lookup) return;
    const isAbsent = this.#question.isAbsent(kept.value);
    (isAbsent ? this.#found : this.#absent).delete(key);
    (isAbsent ? this.#absent : this.#found).set(key, kept);
    this.#forgetLater();
  }

  /** What nobody asks for leaves the memory by its age alone: some of it is secret, and its owner may have deleted it. */
  #forgetLater(): void {
    if (this.#forgets) return;
    this.#forgets = true;
    this.#clock.after(
      this.#limits.staleMs,
      () => {
        this.#forgets = false;
        this.#found.age();
        this.#absent.age();
        if (this.#found.size + this.#absent.size > 0) this.#forgetLater();
      },
      "loose",
    );
  }

  #fail(): void {
    this.#failures += 1;
    this.#failedAt = this.#clock.now();
  }
}
