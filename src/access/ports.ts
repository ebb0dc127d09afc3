import type { Workflow } from "../terms/caller.ts";

/**
 * The store of tokens and workflows. Look-ups return `null` for a missing row, and reject if the store does not answer.
 */
export interface AccessStore {
  /** Finds a token by its SHA-256 in lower-case hex. */
  findToken(digest: string): Promise<TokenRow | null>;
  findWorkflow(id: string): Promise<Workflow | null>;
  /** Changes whenever a cached look-up may be out of date. Cheap, and does not block on I/O. */
  version(): number;
  /** Records the last use of these tokens in one batch. It affects no look-up, so `version` need not change. */
  markUsed(uses: readonly { readonly tokenId: string; readonly wallAt: number }[]): Promise<void>;
}

export interface TokenRow {
  readonly id: string;
  readonly organizationId: string;
  readonly digest: string;
  readonly expiresWallAt: number | null;
  readonly revoked: boolean;
  readonly organizationDisabled: boolean;
}
