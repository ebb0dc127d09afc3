import { hash, timingSafeEqual } from "node:crypto";
import type { Authenticator, Caller } from "../terms/caller.ts";
import { Fault } from "../terms/fault.ts";

/** Identifies one caller, by a token and a workflow that can be any text. */
export function createOnlyCaller(token: string, caller: Caller): Authenticator {
  const { workflow } = caller;
  return {
    resolveToken(given) {
      if (isSame(given, token)) return caller;
      throw new Fault("request.unauthenticated", { reason: "token_unknown" });
    },
    resolveCaller(_grant, given) {
      if (given === workflow.id) return caller;
      throw new Fault("request.unauthenticated", { reason: "workflow" });
    },
  };
}

function isSame(given: string, known: string): boolean {
  return timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", known, "buffer"));
}
