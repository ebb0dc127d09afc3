import type { Caller } from "../terms/caller.ts";
import type { Fault } from "../terms/fault.ts";

/** A token that is good. Opaque to the edge: it goes back to `resolveCaller`. */
export interface TokenGrant {
  readonly tokenId: string;
  readonly organizationId: string;
}

/** Who is calling. Both throw or reject with `request.unauthenticated`, or with `request.store_unavailable` when it cannot be known. */
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
