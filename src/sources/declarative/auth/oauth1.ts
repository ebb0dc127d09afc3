import { createHash, createHmac, sign } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { readPrivateKey } from "../../../terms/text/pem.ts";
import { closed, template, words } from "../format/format-words.ts";
import { asItIs, inHeader } from "../request/encodings.ts";
import { percentEncode, sortParameters } from "../request/percent-encode.ts";
import { momentIn } from "../request/request-moment.ts";
import type { RenderedRequest } from "../request/render-request.ts";
import { fill, parseTemplate, type Template, type TemplateValues } from "../request/template.ts";
import { authKind, fieldProblem, withHeaders, type AuthSetting, type AuthStep } from "./auth-kind.ts";

const OAuth1 = Type.Object(
  {
    kind: Type.Literal("oauth1"),
    consumer_key: template("The consumer key."),
    consumer_secret: template("The consumer secret; for `RSA-SHA256` the private key, PEM without a passphrase."),
    token: Type.Optional(template("The access token, if the vendor gave one.")),
    token_secret: Type.Optional(template("Its secret.")),
    signature_method: Type.Optional(
      words(["HMAC-SHA1", "HMAC-SHA256", "RSA-SHA256"], "How requests are signed. `HMAC-SHA1` by default."),
    ),
    realm: Type.Optional(template("The realm.")),
    body_hash: Type.Optional(
      Type.Boolean({
        description:
          "Whether a hash of the body is signed too, as `oauth_body_hash`. False by default. A form is always signed.",
      }),
    ),
  },
  { ...closed, description: "OAuth 1.0a (RFC 5849), in the field `Authorization`." },
);

export const oauth1 = authKind({
  schema: OAuth1,
  compile: (file, setting) => ({ step: compileOAuth1(file, setting) }),
});

function compileOAuth1(file: Static<typeof OAuth1>, { known, place }: AuthSetting): AuthStep {
  const templateOf = (name: "consumer_key" | "consumer_secret" | "token" | "token_secret" | "realm") =>
    parseTemplate(file[name] ?? "", known, place.in(name));
  const consumerKey = templateOf("consumer_key");
  const consumerSecret = templateOf("consumer_secret");
  const [token, tokenSecret, realm] = [templateOf("token"), templateOf("token_secret"), templateOf("realm")];
  const method = file.signature_method ?? "HMAC-SHA1";
  const hash = method === "HMAC-SHA1" ? "sha1" : "sha256";

  function signatureOf(base: string, values: TemplateValues): Buffer {
    const secret = needed(consumerSecret, values);
    if (method !== "RSA-SHA256") {
      const key = `${percentEncode(secret)}&${percentEncode(fill(tokenSecret, values, asItIs) ?? "")}`;
      return createHmac(hash, key).update(base, "utf8").digest();
    }
    const key = readPrivateKey(secret);
    if (typeof key === "string") throw fieldProblem(consumerSecret, key);
    if (key.asymmetricKeyType !== "rsa") throw fieldProblem(consumerSecret, "is another kind of key: RSA is needed");
    return sign("sha256", Buffer.from(base, "utf8"), key);
  }

  return {
    headerNames: ["authorization"],
    apply(request, values) {
      const { clock, nonce } = momentIn(values);
      const issued = fill(token, values, asItIs) ?? "";
      const isForm = request.headers["content-type"]?.startsWith(FORM) === true;
      const body = request.body ?? "";
      const protocol: Readonly<Record<string, string>> = {
        oauth_consumer_key: needed(consumerKey, values),
        ...(issued === "" ? {} : { oauth_token: issued }),
        oauth_signature_method: method,
        oauth_timestamp: String(clock.unix),
        oauth_nonce: nonce,
        ...(file.body_hash === true && !isForm
          ? { oauth_body_hash: createHash(hash).update(body).digest("base64") }
          : {}),
      };
      const encoded = Object.entries(protocol).map(([name, value]) => `${name}=${percentEncode(value)}`);
      const base = baseString(request, [...encoded, ...(isForm ? [String(body)] : [])]);
      const fields = { ...protocol, oauth_signature: signatureOf(base, values).toString("base64") };
      const written = Object.entries(fields).map(([name, value]) => `${name}="${percentEncode(value)}"`);
      const area = fill(realm, values, inHeader) ?? "";
      const parameters = [...(area === "" ? [] : [`realm="${area.replaceAll(/["\\]/g, "\\$&")}"`]), ...written];
      return withHeaders(request, { authorization: `OAuth ${parameters.join(", ")}` });
    },
  };
}

const FORM = "application/x-www-form-urlencoded";

/** The text to sign (RFC 5849, section 3.4.1). Parameters are encoded as RFC 5849 demands already. */
function baseString({ method, origin, path, query }: RenderedRequest, parameters: readonly string[]): string {
  const all = [query, ...parameters].filter((part) => part !== "").join("&");
  return [method, `${origin}${path}`, sortParameters(all)].map(percentEncode).join("&");
}

function needed(template: Template, values: TemplateValues): string {
  const value = fill(template, values, asItIs);
  if (value === undefined || value === "") throw fieldProblem(template, "is needed for the signature");
  return value;
}
