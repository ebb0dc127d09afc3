import { constants, createHmac, sign, type KeyObject } from "node:crypto";
import type { Static } from "typebox";
import { Type } from "../../../terms/schema/type.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json/json.ts";
import { readPrivateKey } from "../../../terms/text/pem.ts";
import { durationMs } from "../../../terms/time/durations.ts";
import { anyObject, closed, duration, template, text, words } from "../format/format-words.ts";
import { asItIs, inDocument } from "../request/encodings.ts";
import { compileJson } from "../request/json-template.ts";
import { momentIn } from "../request/request-moment.ts";
import { checkHeaderName, type RenderedRequest } from "../request/render-request.ts";
import { fill, parseTemplate, type TemplateValues } from "../request/template.ts";
import { authKind, fieldProblem, inOneHeader, type AuthSetting, type CompiledAuth } from "./auth-kind.ts";
import { compileKey, keyBytes } from "./derived-keys.ts";
import { coveredBy, OF_REQUEST, partsOf } from "./signed-text.ts";

interface Algorithm {
  /** The type of its private key as Node names it, and in words. */
  readonly key: readonly [type: string, words: string];
  readonly curve?: string;
  sign(text: Buffer, key: KeyObject): Buffer;
}

const RSA = ["rsa", "an RSA key"] as const;
const PSS = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };

function rsa(bits: number): Algorithm {
  return { key: RSA, sign: (text, key) => sign(`sha${bits}`, text, key) };
}

function pss(bits: number): Algorithm {
  return { key: RSA, sign: (text, key) => sign(`sha${bits}`, text, { key, ...PSS }) };
}

function ecdsa(bits: number, curve: string, name: string): Algorithm {
  const written = { dsaEncoding: "ieee-p1363" } as const;
  return {
    key: ["ec", `a key of the curve ${name}`],
    curve,
    sign: (text, key) => sign(`sha${bits}`, text, { key, ...written }),
  };
}

/** The algorithms with a private key, by their names in RFC 7518 and RFC 8037. */
export const ASYMMETRIC = {
  RS256: rsa(256),
  RS384: rsa(384),
  RS512: rsa(512),
  PS256: pss(256),
  PS384: pss(384),
  PS512: pss(512),
  ES256: ecdsa(256, "prime256v1", "P-256"),
  ES384: ecdsa(384, "secp384r1", "P-384"),
  ES512: ecdsa(512, "secp521r1", "P-521"),
  EdDSA: { key: ["ed25519", "an Ed25519 key"], sign: (text, key) => sign(null, text, key) },
} satisfies Readonly<Record<string, Algorithm>>;

const SYMMETRIC = ["HS256", "HS384", "HS512"] as const;

const Jwt = Type.Object(
  {
    kind: Type.Literal("jwt"),
    algorithm: words(
      [...(Object.keys(ASYMMETRIC) as (keyof typeof ASYMMETRIC)[]), ...SYMMETRIC],
      "The algorithm of the signature.",
    ),
    key: template(
      "The private key, PEM without a passphrase, whose lost line breaks are restored; for `HS…` the shared key.",
    ),
    key_encoding: Type.Optional(
      words(["utf8", "hex", "base64", "base64url"], "For `HS…`: how the key is encoded. `utf8` by default."),
    ),
    key_id: Type.Optional(template("The id of the key, `kid` in the token's header.")),
    jose_header: Type.Optional(anyObject("Further members of the token's header, with templates.")),
    claims: anyObject(
      "The claims, with templates, also over `request.method`, `request.path`, `request.body` and the like. `iat`, `exp` and `jti` are added unless they are here.",
    ),
    expires_in: Type.Optional(duration("How long the token is valid. `5m` by default.")),
    header: Type.Optional(
      text(
        "The header field for the token. `Authorization` by default. A request that contains `{{ jwt }}` itself, such as a client assertion, does not get the field.",
      ),
    ),
    value: Type.Optional(template("The field's value. `Bearer {{ jwt }}` by default.")),
  },
  {
    ...closed,
    description:
      "A JSON Web Token that is signed for each request: as bearer token, or as `{{ jwt }}` in the login call of `token_exchange` (client assertion: `private_key_jwt`, with `HS…` `client_secret_jwt`).",
  },
);

export const jwt = authKind({ schema: Jwt, compile: compileJwt });

function compileJwt(file: Static<typeof Jwt>, { known, place }: AuthSetting): CompiledAuth {
  const names = { ...known, request: OF_REQUEST };
  const documents = { ...inDocument, takesObjects: true };
  const makeHeader = compileJson(file.jose_header ?? {}, documents, names, place.in("jose_header"));
  const makeClaims = compileJson(file.claims, documents, names, place.in("claims"));
  const keyId = file.key_id === undefined ? null : parseTemplate(file.key_id, known, place.in("key_id"));
  const signText = compileSigning(file, known, place);
  const lastsSeconds = Math.floor(durationMs(file.expires_in ?? "5m") / 1000);

  function make(request: RenderedRequest, values: TemplateValues): string {
    const known = { ...values, request: partsOf(request) };
    const header = {
      alg: file.algorithm,
      typ: "JWT",
      ...(keyId === null ? {} : { kid: fill(keyId, values, asItIs) }),
      ...objectOf(makeHeader(known)),
    };
    const { clock, nonce } = momentIn(values);
    const claims = { iat: clock.unix, exp: clock.unix + lastsSeconds, jti: nonce, ...objectOf(makeClaims(known)) };
    const signed = `${base64url(JSON.stringify(header))}.${base64url(JSON.stringify(claims))}`;
    return `${signed}.${base64url(signText(Buffer.from(signed, "ascii"), values))}`;
  }

  const covers = coveredBy([file.claims, file.jose_header], place);
  const name = checkHeaderName(file.header ?? "Authorization", place.in("header"));
  const value = parseTemplate(file.value ?? "Bearer {{ jwt }}", { ...known, jwt: null }, place.in("value"));
  const field = inOneHeader(name, value);
  return {
    value: { name: "jwt", covers, make },
    step: { ...field, apply: (request, values) => field.apply(request, { ...values, jwt: make(request, values) }) },
  };
}

type SignText = (text: Buffer, values: TemplateValues) => Buffer;

function compileSigning(file: Static<typeof Jwt>, known: AuthSetting["known"], place: AuthSetting["place"]): SignText {
  const { algorithm: name } = file;
  if (isSymmetric(name)) {
    const key = compileKey(file, known, [], place);
    return (text, values) =>
      createHmac(`sha${name.slice(2)}`, keyBytes(key, values, {}))
        .update(text)
        .digest();
  }
  if (file.key_encoding !== undefined)
    place.in("key_encoding").refuseKey("format.value", `a key of ${name} is PEM`, "leave it out");
  const algorithm: Algorithm = ASYMMETRIC[name];
  const key = parseTemplate(file.key, known, place.in("key"));
  return (text, values) => {
    const pem = fill(key, values, asItIs);
    const read = pem === undefined ? "is needed for the signature" : readPrivateKey(pem);
    if (typeof read === "string") throw fieldProblem(key, read);
    const [type, words] = algorithm.key;
    const curve = read.asymmetricKeyDetails?.namedCurve;
    if (read.asymmetricKeyType !== type || (algorithm.curve !== undefined && curve !== algorithm.curve))
      throw fieldProblem(key, `is another kind of key: ${name} needs ${words}`);
    return algorithm.sign(text, read);
  };
}

function isSymmetric(name: Static<typeof Jwt>["algorithm"]): name is (typeof SYMMETRIC)[number] {
  return name.startsWith("HS");
}

/** A document of a file is an object, and absent if all its members are absent. */
function objectOf(made: unknown): JsonObject {
  return isJsonObject(made) ? made : {};
}

function base64url(bytes: string | Buffer): string {
  return Buffer.from(bytes as string).toString("base64url");
}
