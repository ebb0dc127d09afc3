import type { Clock } from "../../../terms/time/clock.ts";
import { Fault } from "../../../terms/fault.ts";
import { OwnedMap } from "../../../terms/collections/owned-map.ts";

/** A token that can be used now. */
export interface ReadyToken {
  readonly token: string;
  /**
   * Whether it was just fetched and has never been used. Any other token may have been revoked since it was fetched.
   */
  readonly isFresh: boolean;
}

export interface FetchedToken {
  readonly token: string;
  /** Lifetime in ms. 0: only the caller that fetched the token may use it. */
  readonly ttlMs: number;
}

/**
 * Caches tokens by owner. Callers that need the same missing token share a single fetch. A token is renewed a little
 * before it expires. If the fetch fails for a reason that concerns only its caller (its deadline, its connection), the
 * next caller fetches. If the token is for one caller only, all waiting callers fetch at once.
 */
export interface TokenCache {
  /** `owner` undefined: the owner is unknown, so the token is neither cached nor shared. */
  take(owner: string | undefined, fetch: () => Promise<FetchedToken>): Promise<ReadyToken>;
  /** Removes exactly this token; a newer one of the same owner stays. */
  drop(owner: string | undefined, token: string): void;
}

const KEPT_MAX = 10_000;

/**
 * Failures that concern the credential or its rate, and therefore all waiting callers. Other failures concern only the
 * caller that fetched.
 */
const SHARED_FAILURES = new Set(["source.credential_rejected", "source.rate_limited", "source.credential_missing"]);

export function createTokenCache(clock: Clock, earlyMs: number): TokenCache {
  // The caller chooses an inline credential and could fill the cache with invented ones. Then only tokens of the
  // caller's own organization are evicted.
  const kept = new OwnedMap<{ readonly token: string; readonly goodUntil: number }>(KEPT_MAX);
  const fetching = new Map<string, Promise<FetchedToken>>();

  async function fetchFor(owner: string, fetch: () => Promise<FetchedToken>): Promise<FetchedToken> {
    const { token, ttlMs } = await fetch();
    const goodMs = ttlMs - Math.min(earlyMs, ttlMs / 2);
    if (ttlMs > 0) kept.set(organizationOf(owner), owner, { token, goodUntil: clock.now() + goodMs });
    return { token, ttlMs };
  }

  function begin(owner: string, fetch: () => Promise<FetchedToken>): Promise<FetchedToken> {
    const started = fetchFor(owner, fetch).finally(() => fetching.delete(owner));
    fetching.set(owner, started);
    return started;
  }

  return {
    async take(owner, fetch) {
      if (owner === undefined) return fresh((await fetch()).token);
      for (;;) {
        const found = kept.get(organizationOf(owner), owner);
        if (found !== undefined && clock.now() < found.goodUntil) return { token: found.token, isFresh: false };
        const others = fetching.get(owner);
        if (others === undefined) return fresh((await begin(owner, fetch)).token);
        const theirs = await others.catch(unlessShared);
        if (theirs !== null) return fresh((theirs.ttlMs > 0 ? theirs : await fetchFor(owner, fetch)).token);
      }
    },
    drop(owner, token) {
      if (owner === undefined) return;
      const organization = organizationOf(owner);
      if (kept.get(organization, owner)?.token === token) kept.delete(organization, owner);
    },
  };
}

function unlessShared(thrown: unknown): null {
  if (thrown instanceof Fault && SHARED_FAILURES.has(thrown.code)) throw thrown;
  return null;
}

/** An owner is the scope of a credential, which begins with the organization's id and a slash. */
export function organizationOf(owner: string): string {
  return owner.slice(0, owner.indexOf("/"));
}

function fresh(token: string): ReadyToken {
  return { token, isFresh: true };
}
