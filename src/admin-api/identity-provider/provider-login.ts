import type { IncomingMessage } from "node:http";
import type { Operator, OperatorAdmin } from "../../admin/ports.ts";
import type { Clock } from "../../terms/clock.ts";
import type { Login } from "../login.ts";
import { Refusal } from "../refusal.ts";
import type { IdentityProvider } from "./identity-provider.ts";
import { attemptIn, beginAttempt } from "./login-attempt.ts";
import { type ClaimSettings, personOfClaims } from "./person-of-claims.ts";
import { ProviderProblem } from "./provider-problem.ts";

export interface ProviderLoginParts {
  readonly provider: IdentityProvider;
  readonly claims: ClaimSettings;
  readonly store: Pick<OperatorAdmin, "admitPerson" | "noteOperatorUse">;
  readonly login: Pick<Login, "fail">;
  readonly clock: Clock;
}

/** How a person of the identity provider becomes an operator. */
export interface ProviderLogin {
  readonly host: string;
  /** Where the browser has to go, and the value of `Set-Cookie` by which it is known when it comes back. @throws Refusal */
  begin(request: IncomingMessage): Promise<{ readonly location: string; readonly cookie: string }>;
  /** The operator that somebody is who came back with this query. @throws Refusal, after a while if it is theirs */
  finish(request: IncomingMessage, query: string): Promise<Operator>;
}

/** So many may wait for the provider. It may be slow, and the port has connections for others too. */
const LOGINS_MAX = 16;

export function createProviderLogin({ provider, claims, store, login, clock }: ProviderLoginParts): ProviderLogin {
  let underWay = 0;

  async function bounded<Value>(ask: () => Promise<Value>): Promise<Value> {
    if (underWay >= LOGINS_MAX) throw new Refusal("unavailable", "Too many logins are under way. Try again.");
    underWay += 1;
    try {
      return await ask();
    } finally {
      underWay -= 1;
    }
  }

  async function claimsOf(request: IncomingMessage, query: string) {
    const attempt = attemptIn(request, clock);
    if (attempt === null) {
      await login.fail(request, { with: "identity_provider", reason: "not_begun_here" });
      throw new Refusal(
        "unauthenticated",
        "This login was not begun in this browser, or more than ten minutes ago. Log in again.",
      );
    }
    try {
      return await bounded(() => provider.claimsFrom(attempt, query));
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
      const attempt = beginAttempt(request, clock);
      try {
        return { location: await bounded(() => provider.addressFor(attempt)), cookie: attempt.cookie };
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
