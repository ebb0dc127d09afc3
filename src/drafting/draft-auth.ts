import { AUTH_WORDS } from "../sources/declarative/draft-words.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { freeName } from "./draft-request.ts";

/** The authentication of a request. */
export interface DraftedAuth {
  /** The fields of the credential, each with its schema. */
  readonly fields: Readonly<Record<string, JsonObject>>;
  /** The entries of `auth` in the file, all of which apply. */
  readonly kinds: readonly JsonObject[];
  /** The origins of login calls, which the file must declare too. */
  readonly origins: readonly string[];
}

const PLAIN: JsonObject = { type: "string", minLength: 1 };
const SECRET: JsonObject = { ...PLAIN, writeOnly: true };

export const NO_AUTH: DraftedAuth = { fields: {}, kinds: [], origins: [] };

/** The authentication for a word of `--auth`. @throws RangeError */
export function draftAuth(word: string): DraftedAuth {
  const at = word.indexOf(":");
  const [kind, rest] = at === -1 ? [word, ""] : [word.slice(0, at), word.slice(at + 1)];
  if (rest === "" && kind === "none") return NO_AUTH;
  if (rest === "" && kind === "basic") return basicAuth();
  if (rest === "" && kind === "bearer") return bearerAuth();
  if (rest === "" && kind === "mtls") return certificateAuth();
  if (rest === "" && kind === "http_digest") return challengedAuth();
  const isNamed = /^[A-Za-z0-9_.-]{1,60}$/.test(rest);
  if (kind === "header" && isNamed) return keyAuth({ header: rest });
  if (kind === "query" && isNamed) return keyAuth({ query: rest });
  if (kind === "hmac" && isNamed) return signedAuth(rest);
  if (kind === "oauth2") return loginAuth(rest, "client_credentials");
  if (kind === "oauth2_password") return loginAuth(rest, "password");
  throw new RangeError(`auth is ${AUTH_WORDS}`);
}

/** With `password: false`, the key is sent as the user name with an empty password. */
export function basicAuth({ password = true } = {}): DraftedAuth {
  if (!password) {
    const kind = { kind: "basic", username: "{{ credentials.api_key }}", password: "" };
    return { fields: { api_key: SECRET }, kinds: [kind], origins: [] };
  }
  const kind = { kind: "basic", username: "{{ credentials.username }}", password: "{{ credentials.password }}" };
  return { fields: { username: PLAIN, password: SECRET }, kinds: [kind], origins: [] };
}

function challengedAuth(): DraftedAuth {
  const { fields, kinds } = basicAuth();
  return { fields, kinds: kinds.map((kind) => ({ ...kind, kind: "http_digest" })), origins: [] };
}

export function bearerAuth(): DraftedAuth {
  return { fields: { token: SECRET }, kinds: [{ kind: "bearer", token: "{{ credentials.token }}" }], origins: [] };
}

/** A key in a header field or query parameter, preceded by a word such as `ApiKey` if the vendor requires one. */
export function keyAuth(
  place: { readonly header: string } | { readonly query: string },
  { field = "api_key", word = "" } = {},
): DraftedAuth {
  const value = `${word === "" ? "" : `${word} `}{{ credentials.${field} }}`;
  return { fields: { [field]: SECRET }, kinds: [{ kind: "api_key", ...place, value }], origins: [] };
}

function certificateAuth(): DraftedAuth {
  const pem = (label: string): JsonObject => ({
    ...SECRET,
    description: "PEM",
    examples: [`-----BEGIN ${label}-----\nexample\n-----END ${label}-----\n`],
  });
  const kind = { kind: "mtls", cert: "{{ credentials.certificate }}", key: "{{ credentials.private_key }}" };
  return {
    fields: { certificate: pem("CERTIFICATE"), private_key: pem("PRIVATE EXAMPLE") },
    kinds: [kind],
    origins: [],
  };
}

/** Each vendor defines the text to sign, so this text is only a template for the author. */
function signedAuth(header: string): DraftedAuth {
  const canonical = "{{ request.method }}\n{{ request.path }}\n{{ request.body }}";
  const kind = {
    kind: "hmac",
    algorithm: "sha256",
    key: "{{ credentials.signing_key }}",
    canonical,
    encoding: "hex",
    header,
  };
  return { fields: { signing_key: SECRET }, kinds: [kind], origins: [] };
}

/**
 * OAuth 2 with the client credentials or password grant: a login whose token the request carries. @throws RangeError
 */
export function loginAuth(url: string, grant: "client_credentials" | "password", scope?: string): DraftedAuth {
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol) || address.username !== "" || address.search !== "")
    throw new RangeError(
      `a login needs an address, without a query: ${grant === "password" ? "oauth2_password" : "oauth2"}:https://login.vendor.example/token`,
    );
  const user = { username: "{{ credentials.username }}", password: "{{ credentials.password }}" };
  const form = {
    grant_type: grant,
    ...(grant === "password" ? user : {}),
    ...(scope === undefined || scope === "" ? {} : { scope }),
  };
  const kind: JsonObject = {
    kind: "token_exchange",
    request: { method: "POST", url: `${address.origin}${address.pathname}`, body: { form } },
    auth: { kind: "basic", username: "{{ credentials.client_id }}", password: "{{ credentials.client_secret }}" },
    token: "body.access_token",
    expires_in: "body.expires_in",
  };
  const client = { client_id: PLAIN, client_secret: SECRET };
  const fields = grant === "password" ? { username: PLAIN, password: SECRET, ...client } : client;
  return { fields, kinds: [kind], origins: [address.origin] };
}

/** Combines several kinds. If two of them need a field of the same name, it is one field. */
export function joinAuth(parts: readonly DraftedAuth[]): DraftedAuth {
  return {
    fields: Object.assign({}, ...parts.map(({ fields }) => fields)) as DraftedAuth["fields"],
    kinds: parts.flatMap(({ kinds }) => kinds),
    origins: parts.flatMap(({ origins }) => origins),
  };
}

/** The name for another field of a credential, with a number if one of these kinds has a field of that name. */
export function freeField(plain: string, parts: readonly DraftedAuth[]): string {
  return freeName(plain, new Set(parts.flatMap(({ fields }) => Object.keys(fields))));
}

/** Whether a login call precedes the request. */
export function logsIn({ kinds }: DraftedAuth): boolean {
  return kinds.some(({ kind }) => kind === "token_exchange");
}

/**
 * The header fields, in lower case, by which a case can check that a request is authenticated. Signatures and responses
 * to challenges are left out, because they change.
 */
export function authHeaders({ kinds }: DraftedAuth): readonly string[] {
  return kinds.flatMap(({ kind, header }) => {
    if (kind === "hmac" || kind === "http_digest" || kind === "mtls") return [];
    if (typeof header === "string") return [header.toLowerCase()];
    return kind === "api_key" ? [] : ["authorization"];
  });
}
