import type { Context } from "../terms/caller.ts";
import type { PriceTerm } from "../terms/price.ts";

/** The store of sealed vendor credentials. Rejects if it cannot answer. */
export interface CredentialStore {
  /** One organization's credentials for one source, without deleted ones, newest first. */
  credentialsFor(organizationId: string, source: string): Promise<readonly SealedCredential[]>;
  /** The prices of those credentials that have any, by credential, in no order. */
  pricesFor(organizationId: string, source: string): Promise<ReadonlyMap<string, readonly PriceTerm[]>>;
  dataKey(keyId: string): Promise<WrappedKey | null>;
  /** As `AccessStore.version`. */
  version(): number;
}

/** How many calls were billed to each credential in a month; all replicas add to one count. */
export interface CallCounts {
  /** Adds calls, perhaps none, and returns the sum. `monthFrom`: when the month began, in Unix ms. */
  addCalls(credentialId: string, monthFrom: number, calls: number): Promise<number>;
}

export interface SealedCredential {
  readonly id: string;
  readonly organizationId: string;
  readonly source: string;
  /** The version of the contents: changing a field makes a new version, sealing with another key does not. */
  readonly version: number;
  /** If empty, every context. */
  readonly contexts: readonly Context[];
  /** If empty, every region. */
  readonly regions: readonly string[];
  readonly isDefault: boolean;
  readonly disabled: boolean;
  readonly createdWallAt: number;
  /** The id of the data key that it is sealed with. */
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

/** The root key with which a deployment has declared that it seals, even before anything was sealed. */
export interface RegisteredRootKey {
  readonly id: string;
  /** An empty text sealed with that key, so that the key can be verified: an id alone proves little. */
  readonly proof: string;
}

/**
 * What sealing and key rotation need as well. Services keep running meanwhile, so every change names the state that it
 * expects.
 */
export interface KeyStore {
  /** The newest data key of an organization: its next credential is sealed with it. */
  currentDataKey(organizationId: string): Promise<WrappedKey | null>;
  /** An organization may have several data keys: every row names the one that it is sealed with. */
  addDataKey(key: WrappedKey): Promise<void>;
  /** Every root key that wraps at least one data key. */
  rootKeyIdsInUse(): Promise<readonly string[]>;
  /** The last one registered; see `KeyAdmin.registerRootKey`. */
  registeredRootKey(): Promise<RegisteredRootKey | null>;
  /** The data keys of all organizations with ids above `id`, in ascending order. */
  dataKeysAfter(id: string, limit: number): Promise<readonly WrappedKey[]>;
  /** Replaces the wrapping if the data key is still wrapped by `fromRootKeyId`; returns whether it was. */
  rewrapDataKey(fromRootKeyId: string, to: WrappedKey): Promise<boolean>;
  /** Every sealed credential, also disabled ones, with an id above `id`, in ascending order. */
  sealedCredentialsAfter(id: string, limit: number): Promise<readonly SealedCredential[]>;
  /**
   * Replaces `keyId` and `sealed` if version and key are still those of `from`; returns whether they were. Keeps the
   * version.
   */
  resealCredential(from: SealedCredential, to: { readonly keyId: string; readonly sealed: string }): Promise<boolean>;
}
