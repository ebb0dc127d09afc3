/** Operators, and how they log in. */
import type { Act, Page } from "./acts.ts";

/** What an operator may do; each role includes the ones before it. See `Verb.role`. */
export type Role = "viewer" | "operator" | "owner";

export interface NewOperator {
  readonly id: string;
  /** The name in the audit trail. */
  readonly name: string;
  readonly role: Role;
  /** SHA-256 of the operator's token, lower-case hex. */
  readonly digest: string;
  readonly createdWallAt: number;
  readonly expiresWallAt: number | null;
}

/** An operator without the digest of the token. */
export interface Operator extends Omit<NewOperator, "digest"> {
  /** How the operator authenticates. A person of the identity provider has no token. */
  readonly login: "token" | "identity_provider";
  readonly revokedWallAt: number | null;
  /** Rounded to the minute. */
  readonly lastUsedWallAt: number | null;
}

export interface OperatorAdmin {
  /** `null` if an operator with this name exists who is neither revoked nor expired: a name belongs to one person. */
  createOperator(act: Act, operator: NewOperator): Promise<Operator | null>;
  operators(page?: Page): Promise<readonly Operator[]>;
  /** The operator whose token has this digest, even if it is expired or revoked. Never cached. */
  operatorOf(digest: string): Promise<Operator | null>;
  /** Does nothing if a later use is stored. */
  noteOperatorUse(id: string, wallAt: number): Promise<void>;
  /**
   * Revokes an operator by id, by the name of one not yet revoked, or, for a leaked token, by its digest. Revoking
   * again keeps the time of the first revocation.
   */
  revokeOperator(act: Act, operator: OperatorKey): Promise<Operator | null>;
  /** `null` unless it is an operator with a token who is not revoked: the identity provider decides roles of others. */
  changeOperatorRole(act: Act, id: string, role: Role): Promise<Operator | null>;
  /**
   * The operator for a person of the identity provider. Created at the first login; later logins update name and role
   * if the provider's have changed.
   */
  admitPerson(act: Act, person: AdmittedPerson): Promise<Operator | "revoked" | "name_taken">;
  /**
   * Lets a revoked person of the identity provider log in again, in new sessions. `null` if there is no operator of
   * this id or name.
   * @throws OperatorError `refused`
   */
  restoreOperator(act: Act, operator: Exclude<OperatorKey, { readonly digest: string }>): Promise<Operator | null>;
}

export interface AdmittedPerson extends Pick<NewOperator, "name" | "role"> {
  /** SHA-256 of issuer and subject, lower-case hex. */
  readonly digest: string;
  /** The provider's identifier of the person, for the audit trail. */
  readonly subject: string;
}

export type OperatorKey = { readonly id: string } | { readonly name: string } | { readonly digest: string };

/** A session of an operator in a browser, shared by all processes on a store. */
export interface Session {
  /** SHA-256 of the browser's cookie value, lower-case hex. */
  readonly digest: string;
  readonly operatorId: string;
  readonly createdWallAt: number;
  /** Rounded to the minute. */
  readonly seenWallAt: number;
  /** The latest time at which it ends. */
  readonly endsWallAt: number;
}

export interface SessionStore {
  /** Stores a session, and removes those that have ended or were not used since `unseenSince`. */
  beginSession(session: Session, unseenSince: number): Promise<void>;
  /** The session with the current state of its operator. Never cached. */
  findSession(digest: string): Promise<(Session & { readonly operator: Operator }) | null>;
  /** Does nothing if a later use is stored. */
  noteSessionUse(digest: string, wallAt: number): Promise<void>;
  endSession(digest: string): Promise<void>;
}

/** A one-time code for logging in as an operator. */
export interface LoginCode {
  /** SHA-256 of the code, lower-case hex. */
  readonly digest: string;
  readonly operatorId: string;
  readonly endsWallAt: number;
}

export interface LoginCodeStore {
  /** Stores a code, and removes those that ended before `wallAt`. */
  addLoginCode(code: LoginCode, wallAt: number): Promise<void>;
  /**
   * Removes a code, and returns its operator; `null` if it does not exist or has ended. Of several concurrent calls,
   * one gets the operator.
   */
  useLoginCode(digest: string, wallAt: number): Promise<Operator | null>;
}
