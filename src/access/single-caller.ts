import type { Authenticator, Caller } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";
import { sameDigest, tokenDigest } from "./access-token.ts";

/** An authenticator for one caller, whose token and workflow can be any text. */
export function createSingleCallerAuthenticator(token: string, caller: Caller): Authenticator {
  const { workflow } = caller;
  const digest = tokenDigest(token);
  return {
    async resolveToken(given) {
      if (sameDigest(tokenDigest(given), digest)) return caller;
      throw new Fault("request.unauthenticated", { reason: "token_unknown" });
    },
    async resolveCaller(_grant, given) {
      if (given === workflow.id) return caller;
      throw new Fault("request.unauthenticated", { reason: "workflow" });
    },
  };
}
