import { CachedLookup, type LookupLimits, type LookupStats } from "../terms/collections/cached-lookup.ts";
import type { Authenticator, Caller, TokenGrant, Workflow } from "../terms/caller.ts";
import type { Clock } from "../terms/time/clock.ts";
import { asFault, Fault } from "../terms/fault.ts";
import { hasTokenShape, sameDigest, TOKEN_LENGTH_MAX, tokenDigest } from "./access-token.ts";
import type { AccessStore, TokenRow } from "./ports.ts";
import { UsedTokens } from "./used-tokens.ts";

interface CachedToken extends TokenGrant {
  readonly expiresWallAt: number;
}

/** Caches results of the store. For the client all refusals look the same; `detail.reason` is for the log. */
export interface CachingAuthenticator extends Authenticator {
  resolveToken(token: string | undefined): Promise<TokenGrant>;
  resolveCaller(grant: TokenGrant, workflow: string | undefined): Promise<Caller>;
  stats(): AuthenticatorStats;
  /** Writes the times of last use to the store. Never rejects. */
  close(): Promise<void>;
}

export interface AuthenticatorStats {
  readonly tokens: LookupStats;
  readonly workflows: LookupStats;
}

export const ACCESS_LIMITS: LookupLimits = {
  foundMax: 100_000,
  absentMax: 10_000,
  freshMs: 10_000,
  absentMs: 2_000,
  staleMs: 300_000,
  waitMs: 500,
  underwayMax: 5_000,
};

type RefusalReason =
  | "missing"
  | "shape"
  | "token_unknown"
  | "token_revoked"
  | "token_expired"
  | "organization_disabled"
  | "workflow";

/** Cached instead of a row. Refusals of all kinds take the same code path and the same time. */
interface AccessRefusal {
  readonly refused: RefusalReason;
  readonly tokenId?: string;
}

type TokenLookup = CachedToken | AccessRefusal;
type WorkflowLookup = Workflow | AccessRefusal;

/** The minimum wait for the second look-up of a request, in milliseconds. */
export const WORKFLOW_LOOKUP_MS_MIN = 100;
/** Ids are short printable ASCII. Other texts are refused, because a database may not accept them. */
const WORKFLOW_SHAPE = /^[!-~]{1,128}$/;

export function createAuthenticator({ store, clock }: { store: AccessStore; clock: Clock }): CachingAuthenticator {
  const version = () => store.version();
  const isAbsent = (answer: TokenLookup | WorkflowLookup) => "refused" in answer;
  const used = new UsedTokens(store, clock, ACCESS_LIMITS.foundMax);

  const tokens = new CachedLookup<TokenLookup>(
    { find: async (digest) => readToken(await store.findToken(digest), digest, clock), isAbsent, version },
    clock,
    ACCESS_LIMITS,
  );
  // The organization is part of the key, so another organization's workflow is treated as missing.
  const workflows = new CachedLookup<WorkflowLookup>(
    {
      find: async (key) => {
        const [organizationId = "", id = ""] = key.split(" ");
        return readWorkflow(await store.findWorkflow(id), id, organizationId);
      },
      isAbsent,
      version,
      // Look-ups of workflows that one organization makes up must not delay those of another.
      ownerOf: (key) => key.slice(0, key.indexOf(" ")),
    },
    clock,
    ACCESS_LIMITS,
  );

  function grant(answer: TokenLookup): TokenGrant {
    if ("refused" in answer) throw unauthenticated(answer);
    // Expiry is checked on every use, by the wall clock, so that caching does not extend it.
    if (answer.expiresWallAt <= clock.wall())
      throw unauthenticated({ refused: "token_expired", tokenId: answer.tokenId });
    return answer;
  }

  function caller({ organizationId, tokenId }: TokenGrant, answer: WorkflowLookup): Caller {
    if ("refused" in answer) throw unauthenticated({ refused: answer.refused, tokenId });
    used.record(tokenId);
    return { organizationId, tokenId, workflow: answer };
  }

  async function resolveToken(token: string | undefined): Promise<TokenGrant> {
    if (token === undefined || token === "") throw unauthenticated({ refused: "missing" });
    if (token.length > TOKEN_LENGTH_MAX || !hasTokenShape(token)) throw unauthenticated({ refused: "shape" });
    const askedAt = clock.now();
    const answer = await tokens.get(tokenDigest(token)).catch(unavailable);
    return { ...grant(answer), waitedMs: clock.now() - askedAt };
  }

  async function resolveCaller(granted: TokenGrant, workflow: string | undefined): Promise<Caller> {
    if (workflow === undefined || workflow === "") {
      throw unauthenticated({ refused: "missing", tokenId: granted.tokenId });
    }
    if (!WORKFLOW_SHAPE.test(workflow)) throw unauthenticated({ refused: "workflow", tokenId: granted.tokenId });
    // The limit applies to token and workflow together. At least `WORKFLOW_LOOKUP_MS_MIN` remain, because a process that was
    // suspended during the first look-up says nothing about the store.
    const leftMs = Math.max(WORKFLOW_LOOKUP_MS_MIN, ACCESS_LIMITS.waitMs - (granted.waitedMs ?? 0));
    const answer = await workflows.get(`${granted.organizationId} ${workflow}`, leftMs).catch(unavailable);
    return caller(granted, answer);
  }

  return {
    resolveToken,
    resolveCaller,
    stats: () => ({ tokens: tokens.stats, workflows: workflows.stats }),
    close: () => used.close(),
  };
}

function readToken(row: TokenRow | null, digest: string, clock: Clock): TokenLookup {
  // The store has compared the digests too, but by its own collation and not in constant time.
  if (row === null || !sameDigest(row.digest, digest)) return { refused: "token_unknown" };
  if (row.revoked) return { refused: "token_revoked", tokenId: row.id };
  if (row.organizationDisabled) return { refused: "organization_disabled", tokenId: row.id };
  const expiresWallAt = row.expiresWallAt ?? Infinity;
  if (expiresWallAt <= clock.wall()) return { refused: "token_expired", tokenId: row.id };
  return { organizationId: row.organizationId, tokenId: row.id, expiresWallAt };
}

function readWorkflow(row: Workflow | null, id: string, organizationId: string): WorkflowLookup {
  const usable = row !== null && row.id === id && row.organizationId === organizationId && !row.disabled;
  return usable ? row : { refused: "workflow" };
}

function unauthenticated({ refused, tokenId }: AccessRefusal): Fault {
  return new Fault("request.unauthenticated", { reason: refused, tokenId });
}

function unavailable(thrown: unknown): never {
  throw asFault(thrown, "request.store_unavailable");
}
