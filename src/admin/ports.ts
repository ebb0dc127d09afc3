/** What the verbs need from the rest of the service. `commands/open-verbs.ts` provides it; `needs.ts` names it. */
import type { RegisteredRootKey, SealedCredential } from "../credentials/ports.ts";
import type {
  CredentialFinder,
  CredentialRequest,
  CredentialRule,
  FunctionCatalog,
  SourceCatalog,
} from "../run/ports.ts";
import type { FunctionCase } from "../sdk/data-function.ts";
import type { Budget, Spender } from "../terms/budget.ts";
import type { Span } from "../terms/calendar.ts";
import type { Context, Workflow } from "../terms/caller.ts";
import type { Charged } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";
import type { Micros } from "../terms/money.ts";
import type { Price, PriceTerm } from "../terms/price.ts";
import type { Secret } from "../terms/secret.ts";

export interface CopiedStore {
  /** The number of rows by table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly ledgerRuns: number;
}

export interface Actor {
  /**
   * In a terminal the operating system's user, over the admin API the operator's name; the service's own name for what
   * it does by itself.
   */
  readonly who: string;
  readonly via: "cli" | "api" | "service";
}

/** What an operator may do; each role includes the ones before it. See `Verb.role`. */
export type Role = "viewer" | "operator" | "owner";

export interface SourceListing extends SourceCatalog {
  /** Whether the file with this id cannot be used. The problem has been noted already. */
  isBroken(id: string): boolean;
  /** Every id, sorted. */
  ids(): readonly string[];
  /** Of a source that there is. */
  placeOf(id: string): SourcePlace | undefined;
}

export interface SourcePlace {
  readonly file: string;
  readonly from: "catalog" | "project";
  /** Whether runs may ask it: for a source of the catalog that leaves the machine, the setting `catalog` decides. */
  readonly isOn: boolean;
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
  /** Read on demand. @throws OperatorError if they cannot be used */
  cases(): readonly FunctionCase[];
}

/** A service that accepts runs, as a client sees it. */
export interface RunService {
  readonly url: string;
  /** `POST /data`. @throws OperatorError with the service's message if it refuses */
  data(access: { readonly accessToken: string; readonly workflow: string }, body: JsonObject): Promise<JsonObject>;
  /** `POST /func`. @throws OperatorError with the service's message if it refuses */
  func(access: { readonly accessToken: string; readonly workflow: string }, body: JsonObject): Promise<JsonObject>;
}

/** What only a running service knows of itself. Its counts are of this process, not of the deployment. */
export interface ServiceState {
  /** Why no run is accepted; empty if runs are. */
  readonly notReady: readonly string[];
  readonly openBreakers: readonly OpenBreaker[];
  /** Requests of the last five minutes that were answered without a run because of the service, by the kind of fault. */
  readonly refusedLately: Readonly<Record<string, number>>;
  readonly unreadableDataKeys: number;
  readonly ledger: LedgerHealth;
}

/** A source that is not called for an organization, or with one of its credentials, for a while. */
export interface OpenBreaker {
  readonly source: string;
  readonly organizationId: string;
  readonly openForMs: number;
}

export interface LedgerHealth {
  /** Why it records no further run, or `null`. */
  readonly unavailable: string | null;
  /** Runs that have ended and are not in the journal yet, and the age of the oldest. */
  readonly pendingRuns: number;
  readonly lagMs: number;
  readonly journalBytes: number;
  readonly journalBytesMax: number;
  /** Until it is full at the rate of the last day; `null` while that is not known, or if it does not grow. */
  readonly journalDaysLeft: number | null;
  /** How often since the start it was found damaged. */
  readonly damageMet: number;
  /** Runs that have not reached the shared database, and how often in a row that has refused them. */
  readonly undrainedRuns: number;
  readonly drainFailures: number;
}

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

// ---- the store -----------------------------------------------------------------------------------------------------

/** One act of an operator. Every change below is recorded in the audit trail in the same transaction. */
export interface Act extends Actor {
  /** The verb, such as `token create`. */
  readonly what: string;
  readonly wallAt: number;
}

/** Part of a list. Left out, `limit` is all of it, and `after`, the id of a line, its beginning. */
export interface Page {
  readonly limit?: number;
  readonly after?: string;
}

/** Changes return `null` if their object does not exist; then nothing is changed or recorded. */
export interface AdminStore
  extends
    OrganizationAdmin,
    TokenAdmin,
    WorkflowAdmin,
    CredentialAdmin,
    PriceAdmin,
    BudgetAdmin,
    KeyAdmin,
    OperatorAdmin,
    ObjectFinder,
    AuditTrail {}

export interface Organization {
  readonly id: string;
  readonly name: string;
  /** While true, all of its tokens are refused. */
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
  /** Newest first, like every list here. */
  organizations(page?: Page): Promise<readonly Organization[]>;
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

/** A token as an administrator sees it, without the token itself and its digest. */
export interface IssuedToken extends Omit<NewToken, "digest"> {
  readonly revokedWallAt: number | null;
  readonly lastUsedWallAt: number | null;
}

export type TokenState = "active" | "revoked" | "expired";

export interface TokensInState {
  /** All if left out. */
  readonly state?: TokenState;
  /** When they are in that state. */
  readonly wallAt?: number;
}

export interface TokenAdmin {
  createToken(act: Act, token: NewToken): Promise<IssuedToken | null>;
  tokens(organizationId: string, chosen?: Page & TokensInState): Promise<readonly IssuedToken[]>;
  /** By its id or, for a leaked token, by its digest. Revoking it again keeps the time of the first revocation. */
  revokeToken(act: Act, token: { readonly id: string } | { readonly digest: string }): Promise<IssuedToken | null>;
}

export interface NamedWorkflow extends Workflow {
  readonly name: string;
  readonly createdWallAt: number;
}

/** The settings of a workflow that may change. `simulated` may not. */
export type WorkflowChange = Partial<
  Pick<NamedWorkflow, "name" | "disabled" | "autoCredentials" | "failureDetails" | "maskCredentials">
>;

export interface WorkflowAdmin {
  createWorkflow(act: Act, workflow: NamedWorkflow): Promise<NamedWorkflow | null>;
  workflow(id: string): Promise<NamedWorkflow | null>;
  workflows(organizationId: string, page?: Page): Promise<readonly NamedWorkflow[]>;
  changeWorkflow(act: Act, id: string, change: WorkflowChange): Promise<NamedWorkflow | null>;
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

/** The credential that a price belongs to. */
export type PricedCredential = Pick<StoredCredential, "id" | "organizationId" | "source">;

/** `after`: the place of the price before the first one. */
export interface PageOfPrices extends Omit<Page, "after"> {
  readonly after?: Pick<PriceTerm, "fromWallAt" | "above">;
}

export interface PriceAdmin {
  /** Adds a price, or replaces the one with the same beginning and number of calls. */
  setPrice(
    act: Act,
    credential: PricedCredential,
    term: PriceTerm,
  ): Promise<{ readonly replaced: PriceTerm | null } | null>;
  /** The newest beginning first, and its steps in order. */
  prices(credentialId: string, page?: PageOfPrices): Promise<readonly PriceTerm[]>;
  /** All prices of each of these credentials, in no order. */
  pricesOf(credentialIds: readonly string[]): Promise<readonly (PriceTerm & { readonly credentialId: string })[]>;
  /** Returns how many were there. */
  removePrices(act: Act, credential: PricedCredential, terms: readonly PriceTerm[]): Promise<number | null>;
}

/** What is used of a budget in its current period. */
export interface BudgetUse {
  readonly budget: Budget;
  readonly period: Span;
  /** Spent, or reserved for requests under way; processes say so about once a second. */
  readonly used: Micros;
  /** What processes hold beyond that, to use it or give it back. */
  readonly leased: Micros;
}

/** What a decision on a charge has changed for a request. */
export interface ResettledRequest {
  readonly spender: Spender;
  readonly sentWallAt: number;
  readonly before: RequestCost;
  readonly after: RequestCost;
}

export interface RequestCost {
  readonly charged: Charged;
  readonly price: Price | null;
}

export interface BudgetAdmin {
  /**
   * Adds a budget. If there is one for the same things, period and currency, only its limit and warn level change, and
   * it keeps its id and what it has counted. `null` if the organization does not exist.
   */
  setBudget(act: Act, budget: Budget): Promise<{ readonly budget: Budget; readonly replaced: Budget | null } | null>;
  /** Oldest first. Of all organizations if none is given. */
  budgets(organizationId?: string, page?: Page): Promise<readonly BudgetUse[]>;
  budget(id: string): Promise<BudgetUse | null>;
  removeBudget(act: Act, id: string): Promise<Budget | null>;
  /**
   * Counts decisions on charges in the budgets that counted their requests, if these were sent in the current period.
   * Returns the ids of the budgets.
   */
  settleInBudgets(requests: readonly ResettledRequest[]): Promise<readonly string[]>;
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

export interface NewOperator {
  readonly id: string;
  /** Under which acts are recorded in the audit trail. */
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the operator's token, lower-case hex. */
  readonly digest: string;
  readonly createdWallAt: number;
  readonly expiresWallAt: number | null;
}

/** An operator without the digest of the token. */
export interface Operator extends Omit<NewOperator, "digest"> {
  /** With what they show who they are. Somebody from the identity provider has no token. */
  readonly login: "token" | "identity_provider";
  readonly revokedWallAt: number | null;
  /** Kept to the minute. */
  readonly lastUsedWallAt: number | null;
}

export interface OperatorAdmin {
  /** `null` if there is an operator of this name who is neither revoked nor expired: a name is one person's. */
  createOperator(act: Act, operator: NewOperator): Promise<Operator | null>;
  operators(page?: Page): Promise<readonly Operator[]>;
  /** The operator whose token has this digest, also if it is expired or revoked. Never cached. */
  operatorOf(digest: string): Promise<Operator | null>;
  /** Does nothing if a later use is known. */
  noteOperatorUse(id: string, wallAt: number): Promise<void>;
  /**
   * By id, by the name of one who is not revoked or, for a leaked token, by its digest. Revoking again keeps the time
   * of the first revocation.
   */
  revokeOperator(act: Act, operator: OperatorKey): Promise<Operator | null>;
  /**
   * The operator as whom somebody from the identity provider acts. Made at the first login; later ones change the name
   * and the role if the provider's have changed.
   */
  admitPerson(act: Act, person: AdmittedPerson): Promise<Operator | "revoked" | "name_taken">;
  /**
   * Lets somebody from the identity provider log in again who was revoked, in new sessions. `null` if there is nobody
   * of this id or name. @throws OperatorError `refused`
   */
  restoreOperator(act: Act, operator: Exclude<OperatorKey, { readonly digest: string }>): Promise<Operator | null>;
}

export interface AdmittedPerson extends Pick<NewOperator, "name" | "role"> {
  /** SHA-256 of issuer and subject, lower-case hex. */
  readonly digest: string;
  /** Who it is for the provider, for the audit trail. */
  readonly subject: string;
}

export interface FoundObject {
  readonly kind: "organization" | "workflow" | "token" | "credential" | "budget" | "operator";
  readonly id: string;
  /** Of a credential and a budget, the source. */
  readonly name: string | null;
  readonly organizationId: string | null;
}

/** Finds at most `limit` of each kind. */
export interface ObjectFinder {
  /** Those whose id begins so, newest first; `null` if that is no beginning of an id of any kind, as far as its prefix. */
  findById(beginning: string, limit: number): Promise<readonly FoundObject[] | null>;
  /**
   * Organizations, workflows and operators whose name begins with the text, in small or capital letters; among the
   * newest of each kind also those with the text elsewhere in the name.
   */
  findByName(text: string, limit: number): Promise<readonly FoundObject[]>;
  /** What is known of these ids. Those of other kinds, and of what was never there, are left out. */
  findByIds(ids: Iterable<string | null>): Promise<ReadonlyMap<string, FoundObject>>;
}

export type OperatorKey = { readonly id: string } | { readonly name: string } | { readonly digest: string };

export interface AuditEntry extends Act {
  readonly id: string;
  readonly organizationId: string | null;
  /** The id of the changed object. */
  readonly subjectId: string;
  /** The changes. Never contains a secret. */
  readonly detail: JsonObject;
}

/** Selects entries. What is left out does not narrow the selection. */
export interface AuditFilter {
  readonly organizationId?: string;
  readonly who?: string;
  /** The act, such as `token create`. */
  readonly what?: string;
  /** The id of the changed object. */
  readonly subjectId?: string;
  /** Not before this moment (Unix ms). */
  readonly from?: number;
  /** Before this moment. */
  readonly to?: number;
}

export interface AuditTrail {
  /**
   * For an act that changes nothing through this store, or many things through another port: rotating keys, replaying a
   * ledger.
   */
  recordAct(act: Act, entry: Pick<AuditEntry, "organizationId" | "subjectId" | "detail">): Promise<void>;
  auditEntries(filter: Page & AuditFilter): Promise<readonly AuditEntry[]>;
  /** All acts with these names, not before `from` and before `to` (Unix ms), oldest first. */
  actsBetween(what: readonly string[], from: number, to: number): Promise<readonly AuditEntry[]>;
}

/** A session of an operator in a browser. All processes on a store share them. */
export interface Session {
  /** SHA-256 of what the browser's cookie holds, lower-case hex. */
  readonly digest: string;
  readonly operatorId: string;
  readonly createdWallAt: number;
  /** Kept to the minute. */
  readonly seenWallAt: number;
  /** When it ends at the latest. */
  readonly endsWallAt: number;
}

export interface SessionStore {
  /** Also forgets those that ended, and those not seen since `unseenSince`. */
  beginSession(session: Session, unseenSince: number): Promise<void>;
  /** With its operator as that is now. Never cached. */
  findSession(digest: string): Promise<(Session & { readonly operator: Operator }) | null>;
  /** Does nothing if a later use is known. */
  noteSessionUse(digest: string, wallAt: number): Promise<void>;
  endSession(digest: string): Promise<void>;
}

/** A code by which somebody logs in as an operator, once. */
export interface LoginCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly digest: string;
  readonly operatorId: string;
  readonly endsWallAt: number;
}

export interface LoginCodeStore {
  /** Also forgets those that ended before `wallAt`. */
  addLoginCode(code: LoginCode, wallAt: number): Promise<void>;
  /** Forgets a code, and returns its operator; `null` if there is no such code, or it has ended. Of several at once, one gets it. */
  useLoginCode(digest: string, wallAt: number): Promise<Operator | null>;
}
