/** What the operator's verbs need of the world. `commands/open-verbs.ts` gives the real ones; `needs.ts` names them. */
import type { RegisteredRootKey, SealedCredential } from "../credentials/ports.ts";
import type {
  CredentialFinder,
  CredentialRequest,
  CredentialRule,
  FunctionCatalog,
  SourceCatalog,
} from "../run/ports.ts";
import type { FunctionCase } from "../sdk/data-function.ts";
import type { Context, Workflow } from "../terms/caller.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Secret } from "../terms/secret.ts";

export interface CopiedStore {
  /** How many rows of each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly ledgerRuns: number;
}

export interface Actor {
  /** The operating system's user; for what a service does by itself, its own name. */
  readonly who: string;
  readonly via: "cli" | "service";
}

export interface SourceListing extends SourceCatalog {
  /** Whether there is a file with this id that cannot be used. What is wrong with it has been noted already. */
  isBroken(id: string): boolean;
  /** Every id, sorted. */
  ids(): readonly string[];
}

export interface FunctionListing extends FunctionCatalog {
  /** Sorted by id. */
  list(): readonly DescribedFunction[];
}

export interface DescribedFunction {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly inputs: object | undefined;
  readonly output: object | undefined;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly file: string;
  readonly from: "catalog" | "project";
  /** Read when they are asked for. @throws OperatorError when they cannot be used */
  cases(): readonly FunctionCase[];
}

/** A service that takes runs, as a client sees it. */
export interface RunService {
  readonly url: string;
  /** `POST /data`. @throws OperatorError when it refuses, in its own words */
  data(access: { readonly accessToken: string; readonly workflow: string }, body: JsonObject): Promise<JsonObject>;
  /** `POST /func`. @throws OperatorError when it refuses, in its own words */
  func(access: { readonly accessToken: string; readonly workflow: string }, body: JsonObject): Promise<JsonObject>;
}

export interface CredentialSealer {
  /** Seals the fields under the organization's newest data key, making its first if there is none. */
  seal(
    place: Pick<SealedCredential, "id" | "organizationId" | "source" | "version">,
    fields: Secret<JsonObject>,
  ): Promise<{ readonly keyId: string; readonly sealed: string }>;
}

export interface ExplainingFinder extends CredentialFinder {
  explain(request: CredentialRequest): Promise<CredentialExplanation>;
}

/** What a run would take, and what every rule said on the way. */
export interface CredentialExplanation {
  readonly rule: CredentialRule;
  readonly credentialId: string | null;
  /** False when the source would fail without being called. */
  readonly usable: boolean;
  readonly steps: readonly {
    readonly rule: CredentialRule;
    readonly verdict: string;
    readonly reason: string;
    readonly credentialId: string | null;
  }[];
}

// ---- the store -----------------------------------------------------------------------------------------------------

/** One act of an operator. Every change below writes it to the audit trail in its own transaction. */
export interface Act extends Actor {
  /** The verb, such as `token create`. */
  readonly what: string;
  readonly wallAt: number;
}

/** Changes return `null` when what they name does not exist; nothing is changed or recorded then. */
export interface AdminStore
  extends OrganizationAdmin, TokenAdmin, WorkflowAdmin, CredentialAdmin, KeyAdmin, AuditTrail {}

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** None of its tokens is taken. */
  readonly disabled: boolean;
  readonly createdWallAt: number;
}

export interface OrganizationAdmin {
  createOrganization(act: Act, organization: Omit<Organization, "disabled">): Promise<void>;
  changeOrganization(
    act: Act,
    id: string,
    change: Partial<Pick<Organization, "name" | "disabled">>,
  ): Promise<Organization | null>;
  organization(id: string): Promise<Organization | null>;
  /** Newest first, as every list here. */
  organizations(): Promise<readonly Organization[]>;
}

export interface NewToken {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  /** SHA-256 of the token, lower-case hex. */
  readonly digest: string;
  readonly createdWallAt: number;
  readonly expiresWallAt: number | null;
}

/** A token as an administrator sees it: never the token, nor its digest. */
export interface IssuedToken extends Omit<NewToken, "digest"> {
  readonly revokedWallAt: number | null;
  readonly lastUsedWallAt: number | null;
}

export interface TokenAdmin {
  createToken(act: Act, token: NewToken): Promise<IssuedToken | null>;
  tokens(organizationId: string): Promise<readonly IssuedToken[]>;
  /** By its id or, for a token found where it should not be, by its digest. A second revocation keeps the first's time. */
  revokeToken(act: Act, token: { readonly id: string } | { readonly digest: string }): Promise<IssuedToken | null>;
}

export interface NamedWorkflow extends Workflow {
  readonly name: string;
  readonly createdWallAt: number;
}

/** What may change in a workflow's life. `simulated` may not. */
export type WorkflowChange = Partial<
  Pick<NamedWorkflow, "name" | "disabled" | "autoCredentials" | "failureDetails" | "maskCredentials">
>;

export interface WorkflowAdmin {
  createWorkflow(act: Act, workflow: NamedWorkflow): Promise<NamedWorkflow | null>;
  workflow(id: string): Promise<NamedWorkflow | null>;
  workflows(organizationId: string): Promise<readonly NamedWorkflow[]>;
  changeWorkflow(act: Act, id: string, change: WorkflowChange): Promise<NamedWorkflow | null>;
}

/** A credential's description: everything but what it seals. */
export type StoredCredential = Omit<SealedCredential, "sealed">;

export interface NotedCredential extends StoredCredential {
  /** What its creator wrote about it; the audit trail keeps it. */
  readonly note: string | null;
}

export interface CredentialAdmin {
  /**
   * One default per source and context: of the defaults that were there, one whose every context the new one covers stops
   * being a default; one that reaches further stays and yields to the newer where both apply.
   */
  createCredential(act: Act, credential: SealedCredential, note?: string): Promise<CreatedCredential | null>;
  credential(id: string): Promise<StoredCredential | null>;
  credentials(organizationId: string): Promise<readonly NotedCredential[]>;
  setCredentialDisabled(act: Act, id: string, disabled: boolean): Promise<StoredCredential | null>;
  /** Erases what it seals and leaves its description, which the ledger refers to; no list or look-up shows it again. */
  deleteCredential(act: Act, id: string): Promise<StoredCredential | null>;
}

export interface CreatedCredential {
  readonly credential: StoredCredential;
  /** Defaults that are none any more. */
  readonly replaced: readonly StoredCredential[];
  /** Defaults that stay so outside the contexts of the new one. */
  readonly narrowed: readonly { readonly credential: StoredCredential; readonly contexts: readonly Context[] }[];
}

export interface KeyAdmin {
  /**
   * Says by which root key this deployment seals, on the audit trail, where `KeyStore.registeredRootKey` finds it. Where
   * something is sealed already that says so itself, and where one was registered it stays, unless it is to be replaced.
   * Says whether it was written.
   */
  registerRootKey(act: Act, key: RegisteredRootKey, replace: boolean): Promise<boolean>;
  /**
   * Removes a data key and, if they may go, the credentials that are sealed with it: as `deleteCredential` does, in the
   * same transaction. `null` where there is no such key.
   * @throws OperatorError `refused` when credentials depend on it that may not go
   */
  discardDataKey(act: Act, id: string, withCredentials: boolean): Promise<DiscardedDataKey | null>;
}

export interface DiscardedDataKey {
  readonly organizationId: string;
  readonly rootKeyId: string;
  /** What was sealed with it. */
  readonly credentialIds: readonly string[];
}

export interface AuditEntry extends Act {
  readonly id: string;
  readonly organizationId: string | null;
  /** The id of what was changed. */
  readonly subjectId: string;
  /** What changed. Never a secret. */
  readonly detail: JsonObject;
}

export interface AuditTrail {
  /** For an act that changes nothing through this store, or much through another port: rotating keys, replaying a ledger. */
  recordAct(act: Act, entry: Pick<AuditEntry, "organizationId" | "subjectId" | "detail">): Promise<void>;
  /** Newest first. */
  auditEntries(filter: { readonly organizationId?: string; readonly limit: number }): Promise<readonly AuditEntry[]>;
  /** All acts of these names from a moment on and before another (Unix ms), oldest first. */
  actsBetween(what: readonly string[], from: number, to: number): Promise<readonly AuditEntry[]>;
}
