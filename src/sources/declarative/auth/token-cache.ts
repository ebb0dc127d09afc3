import type { Clock } from "../../../terms/clock.ts";
import { Fault } from "../../../terms/fault.ts";
import { OwnedMap } from "../../../terms/owned-map.ts";

/** A token to use now. */
export interface ReadyToken {
  readonly token: string;
  /** Whether it was at hand: one that was fetched just now was good a moment ago. */
  readonly fromCache: boolean;
}

export interface FetchedToken {
  readonly token: string;
  readonly ttlMs: number;
}

/**
 * Tokens by whose they are. Callers that find none wait for one fetch; a token is renewed a little before its end. When
 * the caller that fetches fails for a reason of its own (its deadline, its connection), the next in line fetches.
 */
export interface TokenCache {
  /** `owner` undefined: nothing is known of whose it would be, so nothing is kept or shared. */
  take(owner: string | undefined, fetch: () => Promise<FetchedToken>): Promise<ReadyToken>;
  /** Forgets this very token; a newer one of the same owner stays. */
  drop(owner: string | undefined, token: string): void;
}

const KEPT_MAX = 10_000;

/** The vendor's own word on the credential or on the rate holds for everybody who waits; other failures are the fetcher's. */
const SHARED_FAILURES = new Set(["source.credential_rejected", "source.rate_limited", "source.credential_missing"]);

export function createTokenCache(clock: Clock, earlyMs: number): TokenCache {
  // An inline credential is the caller's own words: one who makes them up without end forgets tokens of its own.
  const kept = new OwnedMap<{ readonly token: string; readonly goodUntil: number }>(KEPT_MAX);
  const fetching = new Map<string, Promise<string>>();

  function keep(owner: string, { token, ttlMs }: FetchedToken): string {
    const goodMs = ttlMs - Math.min(earlyMs, ttlMs / 2);
    kept.set(organizationOf(owner), owner, { token, goodUntil: clock.now() + goodMs });
    return token;
  }

  function begin(owner: string, fetch: () => Promise<FetchedToken>): Promise<string> {
    const started = fetch()
      .then((fetched) => keep(owner, fetched))
      .finally(() => fetching.delete(owner));
    fetching.set(owner, started);
    return started;
  }

  return {
    async take(owner, fetch) {
      if (owner === undefined) return fresh((await fetch()).token);
      for (;;) {
        const found = kept.get(organizationOf(owner), owner);
        if (found !== undefined && clock.now() < found.goodUntil) return { token: found.token, fromCache: true };
        const others = fetching.get(owner);
        if (others === undefined) return fresh(await begin(owner, fetch));
        try {
          return fresh(await others);
        } catch (thrown) {
          if (thrown instanceof Fault && SHARED_FAILURES.has(thrown.code)) throw thrown;
        }
      }
    },
    drop(owner, token) {
      if (owner === undefined) return;
      const organization = organizationOf(owner);
      if (kept.get(organization, owner)?.token === token) kept.delete(organization, owner);
    },
  };
}

/** An owner is named by the scope of its credential, which begins with the organization's id and a slash. */
function organizationOf(owner: string): string {
  return owner.slice(0, owner.indexOf("/"));
}

function fresh(token: string): ReadyToken {
  return { token, fromCache: false };
}
