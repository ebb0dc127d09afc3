import { randomBytes } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { Operator, OperatorAdmin } from "../../ports.ts";
import { BoundedMap } from "../../../terms/collections/bounded-map.ts";
import type { Clock } from "../../../terms/time/clock.ts";
import { FairShare } from "../../../terms/concurrency/fair-share.ts";
import type { OperatorLogin } from "../login.ts";
import { Refusal } from "../refusal.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { attemptIn, beginAttempt, type LoginAttempt, type LoginKeys } from "./login-attempt.ts";
import { type ClaimSettings, personOfClaims } from "./person-of-claims.ts";
import { ProviderProblem } from "./provider-problem.ts";

export interface ProviderLoginParts {
  readonly provider: IdentityProvider;
  readonly claims: ClaimSettings;
  readonly store: Pick<OperatorAdmin, "admitPerson" | "noteOperatorUse">;
  readonly login: Pick<OperatorLogin, "fail">;
  readonly keys: LoginKeys;
  addressOf(request: IncomingMessage): string;
  readonly clock: Clock;
}

/** Logs people in by the identity provider. */
export interface ProviderLogin {
  readonly host: string;
  /**
   * The address to send the browser to, and the value of `Set-Cookie` that identifies the browser when it returns.
   * @throws Refusal
   */
  begin(request: IncomingMessage): Promise<{ readonly location: string; readonly cookie: string }>;
  /**
   * The operator of the person whose browser returned with this query. @throws Refusal, after a delay if the query is
   * wrong
   */
  finish(request: IncomingMessage, query: string): Promise<Operator>;
}

/**
 * Concurrent requests to the provider. It may be slow, and other clients need connections of the port too. Addresses
 * share the slots: one address alone gets half.
 */
export const LOGINS_MAX = 16;
/**
 * Failed logins in a row from one address; afterwards one more each `FAILURE_FORGOTTEN_MS`. Each costs a request to the
 * provider, and providers lock out clients that send many wrong codes.
 */
export const FAILURES_MAX = 10;
export const FAILURE_FORGOTTEN_MS = 6_000;
const ADDRESSES_MAX = 10_000;

export function createProviderLogin(parts: ProviderLoginParts): ProviderLogin {
  const { provider, claims, store, login, addressOf, clock } = parts;
  // Without a root key a random one is used, so logins have to finish in the process that started them.
  const keys = parts.keys.length > 0 ? parts.keys : [randomBytes(32)];
  const activeLogins = new FairShare(LOGINS_MAX);
  /** The time until which each address's failures count. Logins in progress count as failures. */
  const failuresUntil = new BoundedMap<string, number>(ADDRESSES_MAX);

  async function bounded<Value>(address: string, ask: () => Promise<Value>): Promise<Value> {
    if (!activeLogins.take(address)) throw new Refusal("unavailable", "Too many logins are in progress. Try again.");
    try {
      return await ask();
    } finally {
      activeLogins.give(address);
    }
  }

  /** @throws Refusal if too many logins from this address have failed */
  function countFailure(address: string): void {
    const now = clock.now();
    const until = Math.max(now, failuresUntil.get(address) ?? now) + FAILURE_FORGOTTEN_MS;
    if (until > now + FAILURES_MAX * FAILURE_FORGOTTEN_MS)
      throw new Refusal("unavailable", "Too many logins from your address have failed. Try again in a minute.");
    failuresUntil.set(address, until);
  }

  function forgetFailure(address: string): void {
    failuresUntil.set(address, (failuresUntil.get(address) ?? 0) - FAILURE_FORGOTTEN_MS);
  }

  async function claimsFor(attempt: LoginAttempt, query: string, address: string) {
    countFailure(address);
    const found = await provider.claimsFrom(attempt, query);
    forgetFailure(address);
    return found;
  }

  async function claimsOf(request: IncomingMessage, query: string) {
    const attempt = attemptIn(request, keys, clock);
    if (attempt === null) {
      await login.fail(request, { with: "identity_provider", reason: "not_begun_here" });
      throw new Refusal(
        "unauthenticated",
        "This login was not started in this browser, or was started more than ten minutes ago. Log in again.",
      );
    }
    try {
      const address = addressOf(request);
      return await bounded(address, () => claimsFor(attempt, query, address));
    } catch (thrown) {
      if (!(thrown instanceof ProviderProblem)) throw thrown;
      if (thrown.isOurs) throw unavailable(thrown);
      await login.fail(request, { with: "identity_provider", reason: "not_accepted" });
      throw new Refusal("unauthenticated", thrown.message);
    }
  }

  return {
    host: provider.host,

    async begin(request) {
      const attempt = beginAttempt(request, keys, clock);
      try {
        // Once the provider is discovered, this makes no request, so a flood of logins cannot keep others from starting
        // one.
        const address = () => provider.addressFor(attempt);
        const location = await (provider.isKnown() ? address() : bounded(addressOf(request), address));
        return { location, cookie: attempt.cookie };
      } catch (thrown) {
        throw thrown instanceof ProviderProblem ? unavailable(thrown) : thrown;
      }
    },

    async finish(request, query) {
      const all = await claimsOf(request, query);
      const { name, role, digest, subject } = personOfClaims(all, claims);
      const refuse = async (reason: "no_role" | "revoked" | "name_taken", says: string): Promise<never> => {
        await login.fail(request, { with: "identity_provider", reason, name });
        throw new Refusal("forbidden", says);
      };
      if (role === null)
        return refuse(
          "no_role",
          `${name} is in no group that has a role here. The settings oidc.viewers, oidc.operators and oidc.owners name the groups that have one.`,
        );
      const now = clock.wall();
      const act = { who: name, via: "api", what: "operator admit", wallAt: now } as const;
      const admitted = await store.admitPerson(act, { name, role, digest, subject });
      if (admitted === "revoked")
        return refuse("revoked", `${name} has been revoked. An owner can undo that: datarun operator restore ${name}`);
      if (admitted === "name_taken")
        return refuse(
          "name_taken",
          `There is another operator ${name}, and no two can have the same name. An owner can revoke that one: datarun operator revoke ${name}`,
        );
      await store.noteOperatorUse(admitted.id, now).catch(() => {});
      return admitted;
    },
  };
}

function unavailable({ message }: ProviderProblem): Refusal {
  return new Refusal("unavailable", `${message} An operator's token works meanwhile.`);
}
