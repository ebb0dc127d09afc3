import type { Around } from "../run/ports.ts";
import { Secret } from "../terms/secret.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";

/**
 * A simulated call needs no real credential: unless its request brings or names one, it gets a made-up one, and no stored
 * secret is opened. One that is brought or named is resolved and checked as in any run, so that a mistake in it is found.
 */
export function withMadeUpCredential(resolve: Around): Around {
  return (next) => {
    const resolved = resolve(next);
    return (source, call) => {
      const { entry, run } = call;
      const given = entry.cred_id !== undefined || Object.keys(entry.credentials ?? {}).length > 0;
      if (!run.simulated || given || source.credentialUse === "none") return resolved(source, call);
      call.credential = {
        credentialId: null,
        rule: "none",
        fields: new Secret(makeUpCredentials(source.declaration.credentials)),
        scope: `${run.caller.organizationId}/none/simulated`,
      };
      return next(source, call);
    };
  };
}
