import type { Context } from "../terms/caller.ts";

/** Where sealed vendor credentials are kept. Rejects when the store cannot answer. */
export interface CredentialStore {
  /** Every credential, not deleted, of one organization for one source, newest first. */
  credentialsFor(organizationId: string, source: string): Promise<readonly SealedCredential[]>;
  dataKey(keyId: string): Promise<WrappedKey | null>;
  /** As `AccessStore.version`. */
  version(): number;
}

export interface SealedCredential {
  readonly id: string;
  readonly organizationId: string;
  readonly source: string;
  /** Counts the contents: a changed field makes a new version, another key does not. */
  readonly version: number;
  /** Empty: every context. */
  readonly contexts: readonly Context[];
  readonly isDefault: boolean;
  readonly disabled: boolean;
  readonly createdWallAt: number;
  /** The data key it is sealed with. */
  readonly keyId: string;
  /** Base64 of nonce, ciphertext and tag. */
  readonly sealed: string;
}

/** An organization's data key, wrapped by the root key named. */
export interface WrappedKey {
  readonly id: string;
  readonly organizationId: string;
  readonly rootKeyId: string;
  readonly wrapped: string;
}

/** The root key that a deployment has said it seals by, from before anything was sealed. */
export interface RegisteredRootKey {
  readonly id: string;
  /** Sealed nothing: what only that key opens, since an id alone proves little. */
  readonly proof: string;
}

/** What sealing and rotating keys need beside that. Services keep running meanwhile, so every change says what it changes from. */
export interface KeyStore {
  /** The newest data key of an organization: what its next credential is sealed with. */
  currentDataKey(organizationId: string): Promise<WrappedKey | null>;
  /** A second key for the same organization is no conflict: rows name the one they are sealed with. */
  addDataKey(key: WrappedKey): Promise<void>;
  /** Every root key that some data key is wrapped by. */
  rootKeyIdsInUse(): Promise<readonly string[]>;
  /** What was said last; see `KeyAdmin.registerRootKey`. */
  registeredRootKey(): Promise<RegisteredRootKey | null>;
  /** Data keys of every organization with an id above that one, in the order of their ids. */
  dataKeysAfter(id: string, limit: number): Promise<readonly WrappedKey[]>;
  /** Replaces the wrapping if the data key is still wrapped by that root key; says whether it was. */
  rewrapDataKey(fromRootKeyId: string, to: WrappedKey): Promise<boolean>;
  /** Everything sealed, disabled ones included, with an id above that one, in the order of their ids. */
  sealedCredentialsAfter(id: string, limit: number): Promise<readonly SealedCredential[]>;
  /** Replaces `keyId` and `sealed` if version and key are still those of `from`; says whether they were. The version stays. */
  resealCredential(from: SealedCredential, to: { readonly keyId: string; readonly sealed: string }): Promise<boolean>;
}
