import type { Caller } from "../terms/caller.ts";
import type { Fault } from "../terms/fault.ts";

/** A token that is good. Opaque to the edge: it goes back to `resolveCaller`. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly organizationId: string;
  /** How long its request has waited for the store already. */
  readonly waitedMs?: number;
}

/**
 * Who is calling. Both give a value when it is in memory, and a promise only when the store has to be asked.
 * @throws Fault `request.unauthenticated`, or `request.store_unavailable` when the store does not answer and the token or
 * workflow is not known yet
 */
export interface Authenticator {
  resolveToken(token: string): TokenGrant | Promise<TokenGrant>;
  resolveCaller(grant: TokenGrant, workflow: string): Caller | Promise<Caller>;
}

/** Why a connection was closed without an answer: no place for it, its place was another's need, too much waits on it. */
export type DropReason = "no_place" | "made_way" | "pipelining";

/** Told of every request that was answered without a run, and of every connection that was dropped. Must not throw. */
export interface EdgeObserver {
  refused(path: string, fault: Fault): void;
  dropped(reason: DropReason): void;
}
