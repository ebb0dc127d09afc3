import type { Workflow } from "../terms/caller.ts";

/** Where tokens and workflows are kept. Look-ups return `null` for what does not exist; they reject when the store cannot answer. */
export interface AccessStore {
  /** By the SHA-256 of the token, lower-case hex. */
  findToken(digest: string): Promise<TokenRow | null>;
  findWorkflow(id: string): Promise<Workflow | null>;
  /** Changes whenever anything may have changed that a cached answer rests on. Cheap, and does no I/O that waits. */
  version(): number;
  /** Notes that these tokens were used, in one batch. It changes no answer, so it need not change `version`. */
  markUsed(uses: readonly { readonly tokenId: string; readonly wallAt: number }[]): Promise<void>;
}

export interface TokenRow {
  readonly id: string;
  readonly organizationId: string;
  readonly digest: string;
  readonly expiresWallAt: number | null;
  readonly revoked: boolean;
}
