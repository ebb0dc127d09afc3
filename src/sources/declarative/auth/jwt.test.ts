import assert from "node:assert/strict";
import { createHmac, createPrivateKey, generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { JsonObject } from "../../../terms/json/json.ts";
import { faultOf } from "../fake-call.kit.ts";
import { ASYMMETRIC } from "./jwt.ts";
import { sent } from "./signed-requests.kit.ts";

const RSA_KEY = generateKeyPairSync("rsa", { modulusLength: 2048 });
const EC_KEY = generateKeyPairSync("ec", { namedCurve: "P-256" });

const pemOf = (key: typeof RSA_KEY.privateKey) => String(key.export({ type: "pkcs8", format: "pem" }));

const jwtFile = (algorithm: string, more = "") =>
  `auth: {kind: jwt, algorithm: ${algorithm}, key: '{{ credentials.key }}', claims: {iss: '{{ credentials.user }}', aud: https://api.acme.example}${more}}`;

async function jwtOf(file: string, key: string) {
  const [asked] = await sent(file, { key, user: "u" });
  const token = String(asked!.options.headers!["authorization"]).replace("Bearer ", "");
  const [header, claims, signature] = token.split(".");
  const read = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString()) as JsonObject;
  return {
    header: read(header!),
    claims: read(claims!),
    signed: Buffer.from(`${header}.${claims}`),
    signature: Buffer.from(signature!, "base64url"),
  };
}

test("a JWT is signed for each algorithm so that its public key accepts it", async () => {
  const ed = generateKeyPairSync("ed25519");
  for (const [algorithm, { privateKey, publicKey }, options] of [
    ["RS256", RSA_KEY, {}],
    ["RS384", RSA_KEY, {}],
    ["RS512", RSA_KEY, {}],
    ["PS256", RSA_KEY, { padding: 6, saltLength: 32 }],
    ["PS384", RSA_KEY, { padding: 6, saltLength: 48 }],
    ["PS512", RSA_KEY, { padding: 6, saltLength: 64 }],
    ["ES256", EC_KEY, { dsaEncoding: "ieee-p1363" }],
    ["ES384", generateKeyPairSync("ec", { namedCurve: "P-384" }), { dsaEncoding: "ieee-p1363" }],
    ["ES512", generateKeyPairSync("ec", { namedCurve: "P-521" }), { dsaEncoding: "ieee-p1363" }],
    ["EdDSA", ed, {}],
  ] as const) {
    const made = await jwtOf(jwtFile(algorithm, ", key_id: k-1, jose_header: {x5t: abc}"), pemOf(privateKey));
    assert.deepEqual(made.header, { alg: algorithm, typ: "JWT", kid: "k-1", x5t: "abc" });
    assert.deepEqual(made.claims, {
      iat: 1704164645,
      exp: 1704164945,
      jti: "nonce-1",
      iss: "u",
      aud: "https://api.acme.example",
    });
    const hash = algorithm === "EdDSA" ? null : `sha${algorithm.slice(2)}`;
    assert.ok(verify(hash, made.signed, { key: publicKey, ...options }, made.signature), algorithm);
  }
  for (const bits of ["256", "384", "512"]) {
    const shared = await jwtOf(jwtFile(`HS${bits}`, ", key_encoding: base64url, expires_in: 1m"), "AyM1SysPpbyD");
    assert.equal(shared.claims["exp"], 1704164705);
    const key = Buffer.from("AyM1SysPpbyD", "base64url");
    assert.deepEqual(shared.signature, createHmac(`sha${bits}`, key).update(shared.signed).digest());
  }
});

test("RS256 gives the signature of RFC 7515, appendix A.2", () => {
  // The example has the published key of that appendix.
  const example = readFileSync(
    new URL("../../../../catalog/sources/example_login/assertion_report.yaml", import.meta.url),
    "utf8",
  );
  const pem = /-----BEGIN PRIVATE KEY-----.*-----END PRIVATE KEY-----/.exec(example)![0];
  const key = createPrivateKey(pem.replaceAll("\\n", "\n"));
  const text =
    "eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
  assert.equal(
    ASYMMETRIC["RS256"]!.sign(Buffer.from(text), key).toString("base64url").slice(0, 60),
    "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5R",
  );
});

test("a private key whose line breaks were lost is used, and one that cannot be used is named with the reason", async () => {
  const pem = pemOf(RSA_KEY.privateKey);
  for (const lost of [pem.replaceAll("\n", "\\n"), pem.replaceAll("\n", " "), pem.replaceAll("\n", "")])
    await jwtOf(jwtFile("RS256"), lost);
  const encrypted = RSA_KEY.privateKey.export({ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" });
  for (const [key, why] of [
    [String(encrypted), /is encrypted: store it without a passphrase/],
    [String(RSA_KEY.publicKey.export({ type: "spki", format: "pem" })), /is a public key/],
    ["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n", /is a certificate/],
    ["top-secret", /is not a private key in PEM/],
    [pem.replace(/\n[A-Za-z0-9+/]{20}/, "\n"), /its PEM is damaged/],
    [pemOf(EC_KEY.privateKey), /another kind of key: RS256 needs an RSA key/],
  ] as const) {
    const fault = await faultOf(jwtOf(jwtFile("RS256"), key));
    assert.equal(fault.code, "source.credential_missing");
    assert.match(fault.says, why);
    assert.match(fault.says, /credential field key/);
    assert.doesNotMatch(fault.says, /top-secret|AAAA|MII/);
  }
  const wrong = await faultOf(
    jwtOf(jwtFile("ES256"), pemOf(generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey)),
  );
  assert.match(wrong.says, /ES256 needs a key of the curve P-256/);
});
