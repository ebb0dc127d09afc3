import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import { FakeClock } from "../../../terms/time/clock.kit.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";

async function sentWith(parts: string, credentials: Record<string, string>, clock = new FakeClock()): Promise<Asked> {
  const { call, asked } = fakeCall(() => replyOf(200), { credentials, inputs: { name: "Ada" } });
  await compileDeclarative(fileWith(parts), "a.yaml", { clock, nonce: () => "nonce-1" }).run(call);
  return asked[0]!;
}

test("basic, bearer and keys stand where the file says", async () => {
  const basic = await sentWith("auth: {kind: basic, username: '{{ credentials.key }}', password: ''}", { key: "k" });
  assert.equal(basic.options.headers?.["authorization"], `Basic ${Buffer.from("k:").toString("base64")}`);
  const both = await sentWith(
    "auth: [{kind: bearer, token: '{{ credentials.key }}'}, {kind: api_key, query: user, value: '{{ credentials.user }}'}]",
    { key: "k", user: "a&b" },
  );
  assert.equal(both.options.headers?.["authorization"], "Bearer k");
  assert.equal(both.url, "https://api.acme.example/people?user=a%26b");
});

test("an optional credential that is absent adds nothing", async () => {
  const sent = await sentWith("auth: {kind: api_key, header: X-Key, value: '{{ credentials.key }}'}", {});
  assert.deepEqual(Object.keys(sent.options.headers ?? {}), ["accept"]);
});

test("a user with a colon is refused: its end would be read as the password", async () => {
  const parts = "auth: {kind: basic, username: '{{ credentials.user }}', password: x}";
  assert.equal((await faultOf(sentWith(parts, { user: "a:b" }))).code, "source.credential_missing");
});

test("a signature covers the request as it is sent", async () => {
  const parts = [
    "auth:",
    "  kind: hmac",
    "  algorithm: sha256",
    "  key: '{{ credentials.key }}'",
    '  canonical: "{{ request.method }}\\n{{ request.host }}\\n{{ request.path }}?{{ request.query }}\\n{{ clock.unix_ms }}\\n{{ nonce }}\\n{{ request.body | sha256 }}"',
    "  encoding: hex",
    "  header: X-Signature",
    "  value: 'v1={{ signature }}'",
    "  headers: {X-Time: '{{ clock.unix_ms }}', X-Nonce: '{{ nonce }}'}",
    "request:",
    "  method: POST",
    "  url: https://api.acme.example/people/{{ inputs.name }}",
    "  query: {q: 'a b'}",
    "  body: {json: {name: '{{ inputs.name }}'}}",
  ].join("\n");
  const clock = new FakeClock();
  const { url, options } = await sentWith(parts, { key: "k" }, clock);
  const { host, pathname, search } = new URL(url);
  const time = String(clock.wall());
  const digest = createHash("sha256").update(String(options.body)).digest("hex");
  const text = `POST\n${host}\n${pathname}${search}\n${time}\nnonce-1\n${digest}`;
  const headers = options.headers ?? {};
  assert.equal(headers["x-signature"], `v1=${createHmac("sha256", "k").update(text).digest("hex")}`);
  assert.deepEqual([headers["x-time"], headers["x-nonce"]], [time, "nonce-1"]);
});

test("a key that is not written as the file says signs nothing", async () => {
  const hmac = (encoding: string) =>
    `auth: {kind: hmac, algorithm: sha256, key: '{{ credentials.key }}', key_encoding: ${encoding}, canonical: x, encoding: hex, header: X-Sig}`;
  assert.equal((await faultOf(sentWith(hmac("hex"), { key: "00zz" }))).code, "source.credential_missing");
  const sent = await sentWith(hmac("hex"), { key: "6B" });
  assert.equal(sent.options.headers?.["x-sig"], createHmac("sha256", "k").update("x").digest("hex"));
});

test("a client certificate is passed to the client, and one that is no PEM is not used", async () => {
  const parts = "auth: {kind: mtls, cert: '{{ credentials.user }}', key: '{{ credentials.key }}'}";
  const [cert, key] = ["-----BEGIN CERTIFICATE-----\nx", "-----BEGIN PRIVATE KEY-----\ny"];
  const sent = await sentWith(parts, { user: cert, key });
  assert.deepEqual(sent.options.tls, { cert, key, ca: undefined });
  assert.equal((await faultOf(sentWith(parts, { user: "x", key }))).code, "source.credential_missing");
});
