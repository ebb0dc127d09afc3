import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { sent } from "./signed-requests.kit.ts";

test("the digest of a UsernameToken is over nonce, time and password, and the password is not sent", async () => {
  const parts = (
    type: string,
  ) => `auth: {kind: ws_security, username: '{{ credentials.user }}', password: '{{ credentials.key }}', password_type: ${type}}
request: {method: POST, url: 'https://api.acme.example/', body: {xml: {'S:Envelope': {'S:Body': {q: '{{ inputs.name }}'}}}}}`;
  const [digest] = await sent(parts("digest"), { user: "u<", key: "p-secret" });
  const body = String(digest!.options.body);
  const made = createHash("sha1").update("nonce-12024-01-02T03:04:05Zp-secret").digest("base64");
  assert.match(body, /^<\?xml [^>]*><S:Envelope><S:Header><wsse:Security .*<\/S:Header><S:Body><q>Ada<\/q><\/S:Body>/);
  assert.ok(body.includes(`#PasswordDigest">${made}</wsse:Password>`) && !body.includes("p-secret"));
  assert.ok(body.includes("<wsse:Username>u&#60;</wsse:Username>"));
  assert.ok(body.includes(`${Buffer.from("nonce-1").toString("base64")}</wsse:Nonce>`));
  const [text] = await sent(parts("text"), { user: "u", key: "p<" });
  assert.ok(String(text!.options.body).includes('#PasswordText">p&#60;</wsse:Password>'));
});
