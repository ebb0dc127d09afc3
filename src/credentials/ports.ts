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
