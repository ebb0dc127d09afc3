import type { Context } from "../terms/caller.ts";
import type { PriceTerm } from "../terms/money/price.ts";

/** The store of sealed vendor credentials. Rejects if the store does not answer. */
export interface CredentialStore {
  /** The credentials of one organization for one source, newest first, without deleted ones. */
  credentialsFor(organizationId: string, source: string): Promise<readonly SealedCredential[]>;
  /** The prices of those credentials that have any, by credential id, unordered. */
  pricesFor(organizationId: string, source: string): Promise<ReadonlyMap<string, readonly PriceTerm[]>>;
  dataKey(keyId: string): Promise<WrappedKey | null>;
  /** Like `AccessStore.version`. */
  version(): number;
}

/** The number of billed calls by credential and month. All replicas add to one count. */
export interface CallCounts {
  /** Adds calls, possibly zero, and returns the sum. `monthFrom`: start of the month in Unix ms. */
  addCalls(credentialId: string, monthFrom: number, calls: number): Promise<number>;
}

export interface SealedCredential {
  readonly id: string;
  readonly organizationId: string;
  readonly source: string;
  /** The version of the content. A changed field increments it; sealing with another key does not. */
  readonly version: number;
  /** Allowed contexts; empty for all. */
  readonly contexts: readonly Context[];
  /** Allowed regions; empty for all. */
  readonly regions: readonly string[];
  readonly isDefault: boolean;
  readonly disabled: boolean;
  readonly createdWallAt: number;
  /** The id of the data key that seals it. */
  readonly keyId: string;
  /** Base64 of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** An organization's data key, wrapped by the root key `rootKeyId`. */
export interface WrappedKey {
  readonly id: string;
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: string;
}

/** The root key that a deployment has declared for sealing, possibly before anything was sealed. */
export interface RegisteredRootKey {
  readonly id: string;
  /** An empty text sealed with that key, to verify the key: an id alone proves little. */
  readonly proof: string;
}

/**
 * Further methods for sealing and key rotation. Services keep running meanwhile, so every change names the state that
 * it expects.
 */
export interface KeyStore {
  /** The newest data key of an organization. The next credential is sealed with it. */
  currentDataKey(organizationId: string): Promise<WrappedKey | null>;
  /** An organization may have several data keys; every row names its own. */
  addDataKey(key: WrappedKey): Promise<void>;
  /** Ids of all root keys that wrap at least one data key. */
  rootKeyIdsInUse(): Promise<readonly string[]>;
  /** The last registered root key; see `KeyAdmin.registerRootKey`. */
  registeredRootKey(): Promise<RegisteredRootKey | null>;
  /** Data keys of all organizations with ids above `id`, ascending. */
  dataKeysAfter(id: string, limit: number): Promise<readonly WrappedKey[]>;
  /** Replaces the wrapping if the data key is still wrapped by `fromRootKeyId`. Returns whether it was replaced. */
  rewrapDataKey(fromRootKeyId: string, to: WrappedKey): Promise<boolean>;
  /** Sealed credentials, including disabled ones, with ids above `id`, ascending. */
  sealedCredentialsAfter(id: string, limit: number): Promise<readonly SealedCredential[]>;
  /**
   * Replaces `keyId` and `sealed` if version and key are still those of `from`. Returns whether they were replaced.
   * Keeps the version.
   */
  resealCredential(from: SealedCredential, to: { readonly keyId: string; readonly sealed: string }): Promise<boolean>;
}
