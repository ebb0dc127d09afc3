import assert from "node:assert/strict";
import { createHash, createHmac, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import type { Asked } from "../fake-call.kit.ts";
import { sent } from "./signed-requests.kit.ts";

const RSA_KEY = generateKeyPairSync("rsa", { modulusLength: 2048 });

test("OAuth 1 signs a form, a hash of another body, and with a private key", async () => {
  const oauth = (more: string, request: string) =>
    sent(
      `auth: {kind: oauth1, consumer_key: '{{ credentials.user }}', consumer_secret: '{{ credentials.key }}', ${more}}\nrequest: {method: POST, url: 'https://api.acme.example/x', ${request}}`,
      {
        user: "u",
        key: more.includes("RSA") ? String(RSA_KEY.privateKey.export({ type: "pkcs8", format: "pem" })) : "s&",
      },
    );
  const fieldsOf = (asked: Asked | undefined) =>
    new Map(
      [...String(asked!.options.headers!["authorization"]).matchAll(/(\w+)="([^"]*)"/g)].map(
        ([, name, value]) => [name!, decodeURIComponent(value!)] as const,
      ),
    );
  const encode = (text: string) => encodeURIComponent(text).replaceAll("'", "%27");
  const base = (...parameters: string[]) =>
    `POST&${encode("https://api.acme.example/x")}&${encode(parameters.toSorted().join("&"))}`;
  const common = (method: string) => [
    "oauth_consumer_key=u",
    `oauth_signature_method=${method}`,
    "oauth_timestamp=1704164645",
    "oauth_nonce=nonce-1",
  ];

  const [form] = await oauth(
    "signature_method: HMAC-SHA256",
    "query: {b: '='}, body: {form: {a: '{{ inputs.name }} x'}}",
  );
  assert.equal(
    fieldsOf(form).get("oauth_signature"),
    createHmac("sha256", "s%26&")
      .update(base(...common("HMAC-SHA256"), "a=Ada%20x", "b=%3D"))
      .digest("base64"),
  );
  const [json] = await oauth("signature_method: RSA-SHA256, body_hash: true", "body: {json: {a: 1}}");
  const fields = fieldsOf(json);
  const bodyHash = createHash("sha256").update('{"a":1}').digest("base64");
  assert.equal(fields.get("oauth_body_hash"), bodyHash);
  const signed = base(...common("RSA-SHA256"), `oauth_body_hash=${encode(bodyHash)}`);
  const signature = Buffer.from(fields.get("oauth_signature")!, "base64");
  assert.ok(verify("sha256", Buffer.from(signed), RSA_KEY.publicKey, signature));
});
