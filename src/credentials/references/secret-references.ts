import { hash } from "node:crypto";
import { BoundedMap } from "../../terms/collections/bounded-map.ts";
import { Fault } from "../../terms/fault.ts";
import type { JsonObject } from "../../terms/json/json.ts";
import { Secret } from "../../terms/secret.ts";
import type { Clock } from "../../terms/time/clock.ts";
import { withTimeout } from "../../terms/time/within.ts";
import { referencesIn } from "./marked-fields.ts";
import { SecretUnavailable } from "./secret-unavailable.ts";

export interface SecretReferencesParts {
  readonly clock: Clock;
  /** How long a value is used before it is read again. */
  readonly ttlMs: number;
  /** Reads the value of a reference now. @throws SecretUnavailable */
  read(reference: string): Promise<string>;
}

/** A field whose value is kept elsewhere, as operators see it. */
export interface ReferencedField {
  readonly field: string;
  readonly reference: string;
  /** Milliseconds since the value was read; null if there is none. */
  readonly ageMs: number | null;
  /** Why the value cannot be read now; null if it can. */
  readonly problem: string | null;
}

/** How long a value is used after its time while the store of secrets does not answer. */
const STALE_MS = 5 * 60_000;
/** How long a store of secrets may take to answer. */
const ANSWER_MAX_MS = 5_000;
/** After a failure, and after a vendor has rejected a credential, a reference is read again at the earliest then. */
const AGAIN_MS = 5_000;
const VALUES_MAX = 10_000;

interface Value {
  readonly text: string;
  readonly readAt: number;
}

interface CachedSecret {
  value: Value | null;
  /** The value is not used any more once another can be read. */
  isRejected: boolean;
  reading: Promise<Value> | null;
  failure: { readonly error: SecretUnavailable; readonly at: number } | null;
}

/** The values of references. They are in memory only; each is read once at a time, whatever the number of calls. */
export class SecretReferences {
  readonly #parts: SecretReferencesParts;
  readonly #cached = new BoundedMap<string, CachedSecret>(VALUES_MAX);
  readonly #referencesOf = new WeakMap<Secret<JsonObject>, ReadonlyMap<string, string> | null>();
  readonly #filled = new WeakMap<Secret<JsonObject>, { readonly key: string; readonly fields: Secret<JsonObject> }>();

  constructor(parts: SecretReferencesParts) {
    this.#parts = parts;
  }

  /** The references of opened fields; `null` without any. */
  among(fields: Secret<JsonObject>): ReadonlyMap<string, string> | null {
    let found = this.#referencesOf.get(fields);
    if (found === undefined) {
      found = referencesIn(fields.reveal());
      this.#referencesOf.set(fields, found);
    }
    return found;
  }

  /**
   * The fields with the values of their references, and a text that changes with any of the values.
   * @throws Fault `source.credential_unavailable`
   */
  async fill(
    fields: Secret<JsonObject>,
    references: ReadonlyMap<string, string>,
  ): Promise<{ readonly fields: Secret<JsonObject>; readonly generation: string }> {
    const values = await Promise.all(
      [...references].map(async ([name, reference]) => {
        const { text } = await this.#valueOf(reference).catch((thrown: unknown) => {
          throw new Fault("source.credential_unavailable", { field: name, reference, reason: reasonOf(thrown) });
        });
        return [name, text] as const;
      }),
    );
    const key = hash("sha256", JSON.stringify(values), "hex").slice(0, 16);
    const before = this.#filled.get(fields);
    if (before?.key === key) return { fields: before.fields, generation: key };
    const filled = new Secret<JsonObject>(Object.freeze({ ...fields.reveal(), ...Object.fromEntries(values) }));
    this.#filled.set(fields, { key, fields: filled });
    return { fields: filled, generation: key };
  }

  /** Reads the values if that is due, and says how old each is. */
  async describe(references: ReadonlyMap<string, string>): Promise<readonly ReferencedField[]> {
    return Promise.all(
      [...references].map(async ([field, reference]): Promise<ReferencedField> => {
        try {
          const { readAt } = await this.#valueOf(reference);
          const failure = this.#cached.get(reference)?.failure ?? null;
          return {
            field,
            reference,
            ageMs: this.#parts.clock.now() - readAt,
            problem: failure === null ? null : failure.error.message,
          };
        } catch (thrown) {
          return { field, reference, ageMs: null, problem: reasonOf(thrown) };
        }
      }),
    );
  }

  /** A vendor has rejected a credential with these references: the next call reads them again. */
  rejected(references: ReadonlyMap<string, string>): void {
    for (const reference of references.values()) {
      const cached = this.#cached.get(reference);
      if (cached?.value != null && this.#parts.clock.now() - cached.value.readAt >= AGAIN_MS) cached.isRejected = true;
    }
  }

  async #valueOf(reference: string): Promise<Value> {
    const now = this.#parts.clock.now();
    let cached = this.#cached.get(reference);
    if (cached === undefined) {
      cached = { value: null, isRejected: false, reading: null, failure: null };
      this.#cached.set(reference, cached);
    }
    const { value, failure } = cached;
    if (value !== null && !cached.isRejected && now - value.readAt < this.#parts.ttlMs) return value;
    if (failure !== null && now - failure.at < AGAIN_MS) return this.#stale(cached, failure.error);
    try {
      return await (cached.reading ??= this.#read(reference, cached));
    } catch (thrown) {
      return this.#stale(cached, thrown);
    }
  }

  async #read(reference: string, cached: CachedSecret): Promise<Value> {
    const { clock, read } = this.#parts;
    const late = () => new SecretUnavailable(`there was no answer within ${ANSWER_MAX_MS} ms`);
    try {
      const text = await withTimeout(clock, ANSWER_MAX_MS, read(reference), late);
      cached.value = { text, readAt: clock.now() };
      cached.isRejected = false;
      cached.failure = null;
      return cached.value;
    } catch (thrown) {
      const error =
        thrown instanceof SecretUnavailable ? thrown : new SecretUnavailable("it cannot be read", { cause: thrown });
      cached.failure = { error, at: clock.now() };
      // A refused value stays unused when the store then fails in another way.
      if (error.isFinal) cached.value = null;
      throw error;
    } finally {
      cached.reading = null;
    }
  }

  /** The last value, as long as it may be used without a newer one. */
  #stale({ value }: CachedSecret, thrown: unknown): Value {
    if (value === null) throw thrown;
    if (this.#parts.clock.now() - value.readAt >= this.#parts.ttlMs + STALE_MS) throw thrown;
    return value;
  }
}

function reasonOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : "it cannot be read";
}
