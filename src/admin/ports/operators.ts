/** Operators, and how they log in. */
import type { Act, Page } from "./acts.ts";

/** What an operator may do; each role includes the ones before it. See `Verb.role`. */
export type Role = "viewer" | "operator" | "owner";

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

export type OperatorKey = { readonly id: string } | { readonly name: string } | { readonly digest: string };

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
