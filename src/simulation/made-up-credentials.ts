import type { CallMiddleware, CredentialFinder, SourceCatalog } from "../run/ports.ts";
import { Fault } from "../terms/fault.ts";
import { PREFIX } from "../terms/ids.ts";
import { isJsonObject, type JsonObject } from "../terms/json/json.ts";
import { Secret } from "../terms/secret.ts";

/**
 * Credential fields for a case without its own: examples from the schema, otherwise a text that is easy to recognise if
 * it is leaked.
 */
export function makeUpCredentials(schema: object | undefined): JsonObject {
  if (schema === undefined || !isJsonObject(schema)) return {};
  const properties = isJsonObject(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, makeUp(name, field)]));
}

function makeUp(name: string, field: unknown): JsonObject[string] {
  if (!isJsonObject(field)) return `made-up-${name}-7Qx4`;
  for (const keyword of ["const", "default"]) if (Object.hasOwn(field, keyword)) return field[keyword]!;
  for (const keyword of ["enum", "examples"]) {
    const list = field[keyword];
    if (Array.isArray(list) && list.length > 0) return list[0] as JsonObject[string];
  }
  if (field["type"] === "integer" || field["type"] === "number") return 7_304_911;
  if (field["type"] === "boolean") return true;
  const length = typeof field["minLength"] === "number" ? field["minLength"] : 0;
  return `made-up-${name}-7Qx4`.padEnd(length, "x");
}

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
