/** What the admin API needs from the store besides what the verbs need. */
import type { Operator } from "../admin/ports.ts";

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
