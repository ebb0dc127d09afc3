import { randomBytes } from "node:crypto";
import { BoundedMap } from "../terms/collections/bounded-map.ts";
import type { Clock } from "../terms/time/clock.ts";
import { newId } from "../terms/ids.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { Secret } from "../terms/secret.ts";
import type { CredentialStore, KeyStore, SealedCredential, WrappedKey } from "./ports.ts";
import type { RootKeyRing } from "./root-key-ring.ts";
import {
  KEY_BYTES,
  openFields,
  sealFields,
  sealProblem,
  unwrapDataKey,
  wrapDataKey,
  type NamedKey,
  type SealedFor,
} from "./seal.ts";

/**
 * Seals and opens credentials. A row that cannot be opened throws a fault; an error of the store is passed on
 * unchanged.
 */
export interface Sealer {
  /** Uses the newest data key of the organization, and creates one if there is none. */
  seal(sealedFor: SealedFor, fields: Secret<JsonObject>): Promise<{ readonly keyId: string; readonly sealed: string }>;
  /** @throws Fault `source.credential_missing` */
  open(row: SealedCredential): Promise<Secret<JsonObject>>;
  /** @throws Fault `source.credential_missing` */
  dataKey(keyId: string, organizationId: string): Promise<NamedKey>;
  /** @throws Fault `source.credential_missing` */
  unwrap(row: WrappedKey): NamedKey;
  /** Creates another data key for the organization, which becomes its newest. */
  makeDataKey(organizationId: string): Promise<NamedKey>;
}

export interface SealerParts {
  readonly store: Pick<CredentialStore, "dataKey"> & Pick<KeyStore, "currentDataKey" | "addDataKey" | "rewrapDataKey">;
  readonly rootKeys: RootKeyRing;
  readonly clock: Clock;
}

const DATA_KEYS_MAX = 10_000;

export function createSealer({ store, rootKeys, clock }: SealerParts): Sealer {
  // A data key never changes under its id, only its wrapping does, so an unwrapped key stays valid.
  const known = new BoundedMap<string, { readonly organizationId: string; readonly key: NamedKey }>(DATA_KEYS_MAX);

  function unwrap(row: WrappedKey): NamedKey {
    const rootKey = rootKeys.find(row.rootKeyId);
    if (rootKey === undefined) throw sealProblem("root_key_missing", { keyId: row.id, rootKeyId: row.rootKeyId });
    const key = unwrapDataKey(rootKey, row);
    known.set(row.id, { organizationId: row.organizationId, key });
    return key;
  }

  async function dataKey(keyId: string, organizationId: string): Promise<NamedKey> {
    const memory = known.get(keyId);
    if (memory?.organizationId === organizationId) return memory.key;
    const row = await store.dataKey(keyId);
    if (row === null || row.id !== keyId || row.organizationId !== organizationId) {
      throw sealProblem("data_key_missing", { keyId });
    }
    return unwrap(row);
  }

  async function makeDataKey(organizationId: string): Promise<NamedKey> {
    const key = { id: newId("key", clock.wall()), bytes: randomBytes(KEY_BYTES) };
    // Another process may just have added a newer root key and may soon remove the older one.
    rootKeys.reload();
    const rootKey = rootKeys.current();
    await store.addDataKey(wrapDataKey(rootKey, key, organizationId));
    rootKeys.reload();
    const newer = rootKeys.current();
    if (newer.id !== rootKey.id) await store.rewrapDataKey(rootKey.id, wrapDataKey(newer, key, organizationId));
    known.set(key.id, { organizationId, key });
    return key;
  }

  return {
    dataKey,
    unwrap,
    makeDataKey,
    async seal(place, fields) {
      const row = await store.currentDataKey(place.organizationId);
      const key = row === null ? await makeDataKey(place.organizationId) : unwrap(row);
      return { keyId: key.id, sealed: sealFields(key, place, fields.reveal()) };
    },
    async open(row) {
      return new Secret(openFields(await dataKey(row.keyId, row.organizationId), row, row.sealed));
    },
  };
}
