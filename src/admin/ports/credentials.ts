/** Credentials of vendors, how a run chooses one, and the keys that seal them. */
import type { RegisteredRootKey, SealedCredential } from "../../credentials/ports.ts";
import type { ReferencedField } from "../../credentials/references/secret-references.ts";
import type { CredentialFinder, CredentialRequest, CredentialRule } from "../../run/ports.ts";
import type { Context } from "../../terms/caller.ts";
import type { JsonObject } from "../../terms/json/json.ts";
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

/** The credential that a run would use, and the result of every rule checked. */
export interface CredentialExplanation {
  readonly rule: CredentialRule;
  readonly credentialId: string | null;
  /** `false` if the source would fail without a call. */
  readonly usable: boolean;
  readonly steps: readonly {
    readonly rule: CredentialRule;
    readonly verdict: string;
    readonly reason: string;
    readonly credentialId: string | null;
  }[];
  /** The fields of the chosen credential whose values are kept elsewhere. */
  readonly references: readonly ReferencedField[];
}

/** A credential without its sealed contents. */
export type StoredCredential = Omit<SealedCredential, "sealed">;

export interface NamedCredential extends StoredCredential {
  /** What operators call it. Names need not be unique. */
  readonly name: string | null;
}

export interface NotedCredential extends NamedCredential {
  /** A remark by its creator, stored in the audit trail. */
  readonly note: string | null;
  /**
   * The names of its fields, also from the audit trail; `null` if the credential was stored before names were recorded.
   */
  readonly fieldNames: readonly string[] | null;
  /** Where the values of fields are that are kept elsewhere, by field; also from the audit trail. */
  readonly references: Readonly<Record<string, string>>;
}

export interface OwnedCredential extends NamedCredential {
  readonly organization: Pick<Organization, "name" | "disabled">;
}

/** An absent field does not narrow the list. */
export interface CredentialFilter {
  readonly organizationId?: string;
  readonly source?: string;
  /** A part of the name, in any case. Only the first characters of a name are searched. */
  readonly name?: string;
}

export interface CredentialAdmin {
  /**
   * Stores a credential. Each source and context has one default: existing defaults whose contexts the new default
   * covers completely stop being defaults. A default with further contexts remains one, and the newer applies where
   * both match.
   */
  createCredential(
    act: Act,
    credential: SealedCredential,
    about?: Partial<Pick<NotedCredential, "name" | "note" | "fieldNames" | "references">>,
  ): Promise<CreatedCredential | null>;
  credential(id: string): Promise<StoredCredential | null>;
  /** Newest first. */
  credentials(filter: CredentialFilter, page?: Page): Promise<readonly NotedCredential[]>;
  /** The names of credentials, also of deleted ones, by id. Those without a name are left out. */
  credentialNames(ids: Iterable<string | null>): Promise<ReadonlyMap<string, string>>;
  /** `null` as the name removes it. */
  renameCredential(act: Act, id: string, name: string | null): Promise<NamedCredential | null>;
  /** The credentials of a source in all organizations. */
  credentialsOfSource(source: string, page?: Page): Promise<readonly OwnedCredential[]>;
  setCredentialDisabled(act: Act, id: string, disabled: boolean): Promise<NamedCredential | null>;
  /**
   * Erases the sealed contents and keeps the description, which the ledger refers to. Lists and look-ups no longer show
   * the credential.
   */
  deleteCredential(act: Act, id: string): Promise<NamedCredential | null>;
}

export interface CreatedCredential {
  readonly credential: StoredCredential;
  /** Credentials that stopped being defaults. */
  readonly replaced: readonly StoredCredential[];
  /** Credentials that remain defaults outside the contexts of the new one. */
  readonly narrowed: readonly { readonly credential: StoredCredential; readonly contexts: readonly Context[] }[];
}

export interface KeyAdmin {
  /**
   * Records in the audit trail the root key with which this deployment seals; `KeyStore.registeredRootKey` reads it
   * there. Does nothing if something is sealed already, which identifies the key, or if a key was registered, unless
   * `replace` is set. Returns whether it was recorded.
   */
  registerRootKey(act: Act, key: RegisteredRootKey, replace: boolean): Promise<boolean>;
  /**
   * Removes a data key and, if allowed, deletes the credentials sealed with it in the same transaction, as
   * `deleteCredential` does. `null` if the key does not exist.
   * @throws OperatorError `refused` if credentials depend on it and may not be deleted
   */
  discardDataKey(act: Act, id: string, withCredentials: boolean): Promise<DiscardedDataKey | null>;
}

export interface DiscardedDataKey {
  readonly organizationId: string;
  readonly rootKeyId: string;
  /** The credentials that were sealed with the key. */
  readonly credentialIds: readonly string[];
}
