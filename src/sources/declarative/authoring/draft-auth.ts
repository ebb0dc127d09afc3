import type { JsonObject } from "../../../terms/json.ts";

export interface DraftedAuth {
  /** The fields of the credential. */
  readonly fields: readonly string[];
  readonly auth: JsonObject | null;
  /** What the first case sees of it in the request, for the credential `example-<field>`. */
  readonly headers: JsonObject | null;
}

/** Kinds that take more than a word: what the format calls them, and where one can be read. */
const BY_HAND = [
  {
    words: /^(?:oauth|oidc|openid|token|login|client_credentials|password|session|jwt)/i,
    says: 'a login ("kind: token_exchange")',
    example: "catalog/sources/example_login/consumer_report.yaml",
  },
  {
    words: /^(?:hmac|sign|aws|digest)/i,
    says: 'a signature ("kind: hmac")',
    example: "catalog/sources/example_signed/identity_check.yaml",
  },
  {
    words: /^(?:mtls|mutual|tls|cert|client.?cert)/i,
    says: 'a client certificate ("kind: mtls")',
    example: "catalog/sources/example_mtls/credit_report.yaml",
  },
] as const;

/** How a request proves who sends it, from one word. @throws RangeError */
export function draftAuth(word: string): DraftedAuth {
  const [kind = "", name = ""] = word.split(":", 2);
  const named = /^[A-Za-z0-9_.-]{1,60}$/.test(name);
  if (kind === "none" && name === "") return { fields: [], auth: null, headers: null };
  if (kind === "basic" && name === "") {
    const basic = Buffer.from("example-username:example-password").toString("base64");
    return {
      fields: ["username", "password"],
      auth: { kind: "basic", username: "{{ credentials.username }}", password: "{{ credentials.password }}" },
      headers: { authorization: `Basic ${basic}` },
    };
  }
  if (kind === "bearer" && name === "") {
    return {
      fields: ["token"],
      auth: { kind: "bearer", token: "{{ credentials.token }}" },
      headers: { authorization: "Bearer example-token" },
    };
  }
  const value = "{{ credentials.api_key }}";
  if (kind === "header" && named) {
    return {
      fields: ["api_key"],
      auth: { kind: "api_key", header: name, value },
      headers: { [name.toLowerCase()]: "example-api_key" },
    };
  }
  if (kind === "query" && named)
    return { fields: ["api_key"], auth: { kind: "api_key", query: name, value }, headers: null };
  const byHand = BY_HAND.find(({ words }) => words.test(kind));
  throw new RangeError(
    byHand === undefined
      ? "auth is none, basic, bearer, header:NAME or query:NAME"
      : `auth is none, basic, bearer, header:NAME or query:NAME; give none, and write ${byHand.says} into the file by hand, as in ${byHand.example}`,
  );
}
