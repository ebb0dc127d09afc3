/** Credentials of vendors, how one is chosen, and the keys that seal them. */
import type { RegisteredRootKey, SealedCredential } from "../../credentials/ports.ts";
import type { CredentialFinder, CredentialRequest, CredentialRule } from "../../run/ports.ts";
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json.ts";
import type { Secret } from "../../terms/secret.ts";
import type { Act, Page } from "./acts.ts";
import type { Organization } from "./organizations.ts";

export interface CredentialSealer {
  /** Seals the fields with the organization's newest data key; creates its first one if there is none. */
  seal(
    place: Pick<SealedCredential, "id" | "organizationId" | "source" | "version">,
    fields: Secret<JsonObject>,
  ): Promise<{ readonly keyId: string; readonly sealed: string }>;
}

export interface ExplainingFinder extends CredentialFinder {
  explain(request: CredentialRequest): Promise<CredentialExplanation>;
}

/** The credential that a run would use, and the result of every rule on the way. */
export interface CredentialExplanation {
  readonly rule: CredentialRule;
  readonly credentialId: string | null;
  /** False if the source would fail without being called. */
  readonly usable: boolean;
  readonly steps: readonly {
    readonly rule: CredentialRule;
    readonly verdict: string;
    readonly reason: string;
    readonly credentialId: string | null;
  }[];
}

/** A credential without its sealed contents. */
export type StoredCredential = Omit<SealedCredential, "sealed">;

export interface NotedCredential extends StoredCredential {
  /** A remark by its creator; kept in the audit trail. */
  readonly note: string | null;
  /** The names of its fields, kept there as well; `null` if it was stored before they were. */
  readonly fieldNames: readonly string[] | null;
}

export interface OwnedCredential extends StoredCredential {
  readonly organization: Pick<Organization, "name" | "disabled">;
}

export interface CredentialAdmin {
  /**
   * Keeps one default per source and context. Existing defaults whose contexts the new default covers completely are no
   * longer defaults; one with further contexts stays a default, and the newer one wins where both apply.
   */
  createCredential(
    act: Act,
    credential: SealedCredential,
    about?: Partial<Pick<NotedCredential, "note" | "fieldNames">>,
  ): Promise<CreatedCredential | null>;
  credential(id: string): Promise<StoredCredential | null>;
  credentials(organizationId: string, page?: Page): Promise<readonly NotedCredential[]>;
  /** Of all organizations. */
  credentialsOfSource(source: string, page?: Page): Promise<readonly OwnedCredential[]>;
  setCredentialDisabled(act: Act, id: string, disabled: boolean): Promise<StoredCredential | null>;
  /**
   * Erases the sealed contents and keeps the description, which the ledger refers to; no list or look-up shows it any
   * more.
   */
  deleteCredential(act: Act, id: string): Promise<StoredCredential | null>;
}

export interface CreatedCredential {
  readonly credential: StoredCredential;
  /** Credentials that are no longer defaults. */
  readonly replaced: readonly StoredCredential[];
  /** Credentials that remain defaults outside the contexts of the new one. */
  readonly narrowed: readonly { readonly credential: StoredCredential; readonly contexts: readonly Context[] }[];
}

export interface KeyAdmin {
  /**
   * Records in the audit trail with which root key this deployment seals; `KeyStore.registeredRootKey` reads it from
   * there. Writes nothing if something is sealed already, which proves the key itself, or if a key was registered,
   * unless it is to be replaced. Returns whether it was written.
   */
  registerRootKey(act: Act, key: RegisteredRootKey, replace: boolean): Promise<boolean>;
  /**
   * Removes a data key and, if allowed, deletes the credentials that are sealed with it, like `deleteCredential` and in
   * the same transaction. `null` if there is no such key.
   * @throws OperatorError `refused` if credentials depend on it and may not be deleted
   */
  discardDataKey(act: Act, id: string, withCredentials: boolean): Promise<DiscardedDataKey | null>;
}

export interface DiscardedDataKey {
  readonly organizationId: string;
  readonly rootKeyId: string;
  /** The credentials that were sealed with it. */
  readonly credentialIds: readonly string[];
}
