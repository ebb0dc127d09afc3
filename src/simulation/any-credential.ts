import type { CredentialFinder, SourceCatalog } from "../run/ports.ts";
import { Fault } from "../terms/fault.ts";
import { PREFIX } from "../terms/ids.ts";
import { Secret } from "../terms/secret.ts";
import { makeUpCredentials } from "./made-up-credentials.ts";

/**
 * The credential finder of a mock, which stores no credentials. Credentials in a request are checked as in any run;
 * every `cred_id` gets a made-up credential.
 */
export function anyCredential(sources: SourceCatalog): CredentialFinder {
  return {
    async find({ inline, credentialId, source }) {
      if (inline !== undefined)
        return { credentialId: null, rule: "inline", fields: new Secret(inline), scope: null, prices: null };
      if (credentialId === undefined) return null;
      if (!credentialId.startsWith(PREFIX.credential)) {
        throw new Fault("source.credential_missing", { problem: "the credential named by cred_id cannot be used" });
      }
      const fields = new Secret(makeUpCredentials(sources.find(source)?.declaration.credentials));
      return { credentialId, rule: "named", fields, scope: null, prices: null };
    },
  };
}
