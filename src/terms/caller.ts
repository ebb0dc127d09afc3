/** Who is calling: what a token and a workflow of one organization amount to. Made by `access/`, read by `run/`. */
export interface Caller {
  readonly organizationId: string;
  readonly tokenId: string;
  readonly workflow: Workflow;
}

export interface Workflow {
  readonly id: string;
  readonly organizationId: string;
  readonly disabled: boolean;
  /** A stored credential may be chosen without being named. */
  readonly autoCredentials: boolean;
  /** Adds `failure` to failed status entries (decision 0015). */
  readonly failureDetails: boolean;
  /** Masks `credentials` in the echoed `config` (decision 0079). */
  readonly maskCredentials: boolean;
  /** Fixed at creation: no call of this workflow leaves the machine, and its answers say so (decision 0014). */
  readonly simulated: boolean;
}

export const CONTEXTS = ["prod", "test", "dev"] as const;
export type Context = (typeof CONTEXTS)[number];

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
