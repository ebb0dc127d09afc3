import type { CallMiddleware } from "../run/ports.ts";
import { Secret } from "../terms/secret.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";

/**
 * Gives a simulated call a made-up credential, unless its request contains or names one, so that no stored secret is
 * opened. A credential in the request is resolved and checked as in any run, so that mistakes are found. Neither has a
 * scope, because state kept by scope must not be shared by simulated and real vendors.
 */
export function withPlaceholderCredential(resolve: CallMiddleware): CallMiddleware {
  return (next) => {
    const resolved = resolve((source, call) => {
      if (call.credential !== null) call.takeCredential({ ...call.credential, scope: null, account: undefined });
      return next(source, call);
    });
    return (source, call) => {
      const { entry } = call;
      const given = entry.cred_id !== undefined || Object.keys(entry.credentials ?? {}).length > 0;
      if (given || source.credentialUse === "none") return resolved(source, call);
      const fields = new Secret(makeUpCredentials(source.declaration.credentials));
      call.takeCredential({ credentialId: null, rule: "none", fields, scope: null, prices: null });
      return next(source, call);
    };
  };
}
