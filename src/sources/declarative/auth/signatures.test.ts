import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { makeUpCredentials } from "../../../simulation/made-up-credentials.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { type moment, refusal, sent } from "./signed-requests.kit.ts";

/* The published vectors of AWS, Akamai, RFC 5849 and RFC 7616 are cases of the examples in catalog/sources. */

const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");

test("a hash stands in the query, and a signature in a body whose other members it covers", async () => {
  const [query] =
    await sent(`auth: {kind: digest, algorithm: md5, canonical: '{{ clock.unix }}{{ credentials.key }}', encoding: hex}
request: {url: 'https://api.acme.example/{{ signature }}', query: {ts: '{{ clock.unix }}', hash: '{{ signature }}'}}`);
  const hash = hex("md5", "1704164645k");
  assert.equal(query!.url, `https://api.acme.example/${hash}?ts=1704164645&hash=${hash}`);

  const [body] =
    await sent(`auth: {kind: hmac, algorithm: sha256, key: '{{ credentials.key }}', canonical: '{{ request.url }}|{{ request.body }}', encoding: hex}
request: {method: POST, url: 'https://api.acme.example/x', query: {q: a b}, body: {json: {name: '{{ inputs.name }}', sign: '{{ signature | upper }}'}}}`);
  const signature = createHmac("sha256", "k").update('https://api.acme.example/x?q=a%20b|{"name":"Ada"}').digest("hex");
  assert.deepEqual(JSON.parse(String(body!.options.body)), { name: "Ada", sign: signature.toUpperCase() });
});

test("a signature in the query covers the key that another kind adds there, and not itself", async () => {
  // The key and the signature of the example in Google's guide to digital signatures of Maps addresses.
  const [google] = await sent(
    `auth: {kind: hmac, algorithm: sha1, key: '{{ credentials.key }}', key_encoding: base64url, canonical: '/maps/api/geocode/json?address=New+York&client=clientID', encoding: base64url}
request: {url: 'https://api.acme.example/x', query: {signature: '{{ signature }}='}}`,
    { key: "vNIXE0xscrmjlyV-12Nj_BvUPaw=" },
  );
  assert.equal(new URL(google!.url).searchParams.get("signature"), "chaRF2hTJKOScPr-RQCEhZbSzIE=");
  const [both] = await sent(
    `auth:
  - {kind: api_key, query: client, value: '{{ credentials.user }}'}
  - {kind: hmac, algorithm: sha1, key: '{{ credentials.key }}', canonical: '{{ request.query }}', encoding: hex}
request: {url: 'https://api.acme.example/x', query: {sig: '{{ signature }}', a: '1'}}`,
    { key: "k", user: "u" },
  );
  const signature = createHmac("sha1", "k").update("a=1&client=u").digest("hex");
  assert.equal(new URL(both!.url).search, `?sig=${signature}&a=1&client=u`);
});

test("a value of the caller or the credential is one line of a signed text, and a missing one is named", async () => {
  const parts = (text: string) =>
    `auth: {kind: digest, algorithm: sha256, canonical: "${text}", encoding: hex, header: X-Sig}`;
  const broken = await faultOf(sent(parts("{{ concat(request.body, credentials.key) }}"), { key: "a\nb" }));
  assert.equal(broken.code, "source.credential_missing");
  const missing = await faultOf(sent(parts("{{ concat(credentials.key, credentials.user) }}"), { key: "k" }));
  assert.match(missing.says, /credential field user is needed/);
});

/** The signature that an example of the catalog sends, after changes of its text. */
async function signedByExample(
  file: string,
  changes: Readonly<Record<string, string>>,
  inputs: JsonObject,
  fixed: typeof moment,
) {
  let written = readFileSync(new URL(`../../../../catalog/sources/example_signed/${file}`, import.meta.url), "utf8");
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(written.includes(from), from);
    written = written.replace(from, to);
  }
  const source = compileDeclarative(written, file);
  const { call, asked } = fakeCall(() => replyOf(404), {
    inputs,
    credentials: makeUpCredentials(source.credentials),
    moment: fixed,
  });
  await Promise.resolve(source.run(call)).catch(() => {});
  return /signature=(\S+)$/i.exec(String(asked[0]!.options.headers!["authorization"]))![1];
}

test("further tests of AWS and of Akamai give their published signatures", async () => {
  const aws = { wallMs: Date.UTC(2015, 7, 30, 12, 36), nonce: "" };
  const query = "query: {Param2: '{{ inputs.second }}', Param1: '{{ inputs.first }}'}";
  const ofAws = (changes: Readonly<Record<string, string>>) => signedByExample("aws_search.yaml", changes, {}, aws);
  assert.equal(await ofAws({ [query]: "" }), "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
  assert.equal(
    await ofAws({ [query]: "method: POST" }),
    "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
  );
  const akamai = { wallMs: Date.UTC(2014, 2, 21, 19, 34, 21), nonce: "nonce-xx-xxxx-xxxx-xxxx-xxxxxxxxxxxx" };
  const posted = {
    "?{{ request.query }}\\t\\t\\t": "\\t\\t{{ request.body | sha256('base64') }}\\t",
    "/testapi/v1/t1\n": "/testapi/v1/t3\n",
    "query: {p1: '{{ inputs.from }}', p2: '{{ inputs.to }}'}": `method: POST\n  body: {text: ${"data".repeat(8)}}`,
  };
  assert.equal(
    await signedByExample("edgegrid_report.yaml", posted, {}, akamai),
    "hXm4iCxtpN22m4cbZb4lVLW5rhX8Ca82vCFqXzSTPe4=",
  );
});

test("a signature can cover the token of a login", async () => {
  const { call, asked } = fakeCall(() => replyOf(200, { t: "t-1" }), { credentials: { key: "k" } });
  const file = `auth:
  - {kind: token_exchange, request: {method: POST, url: 'https://api.acme.example/login'}, token: body.t}
  - {kind: hmac, algorithm: sha256, key: '{{ credentials.key }}', canonical: '{{ token }}', encoding: hex, header: X-Sig}`;
  await compileDeclarative(fileWith(file), "a.yaml").run(call);
  assert.equal(asked[1]!.options.headers?.["x-sig"], createHmac("sha256", "k").update("t-1").digest("hex"));
  assert.match(refusal(file.replace("/login'", "/login/{{ token }}'")), /"token" is not available here/);
});

test("no fault of a signed request tells a signature, a derived key, a token or a password", async () => {
  const secrets: string[] = [];
  const faults: Fault[] = [];
  const file = `auth:
  - kind: token_exchange
    request: {method: POST, url: 'https://api.acme.example/login', body: {form: {a: '{{ jwt }}'}}}
    auth: {kind: jwt, algorithm: HS256, key: '{{ credentials.key }}', claims: {}}
    token: body.t
  - kind: hmac
    algorithm: sha256
    derive: [{name: first, key: '{{ credentials.key }}', text: x}]
    key_from: first
    canonical: '{{ derived.first }}'
    encoding: hex
request: {url: 'https://api.acme.example/x', query: {t: '{{ token }}', s: '{{ signature }}', d: '{{ nonce }}'}}`;
  for (const status of [400, 401, 403, 418, 429, 500, 200]) {
    const { call, asked } = fakeCall(
      ({ url }) => (url.endsWith("/login") ? replyOf(200, { t: "session-t" }) : replyOf(status, "<no json")),
      {
        credentials: { key: "key-of-the-vendor" },
      },
    );
    faults.push(await faultOf(compileDeclarative(fileWith(`map: {a: body.a}\n${file}`), "a.yaml").run(call)));
    secrets.push(
      "session-t",
      "key-of-the-vendor",
      ...asked.flatMap(({ url, options }) => [...new URL(url).searchParams.values(), String(options.body).slice(2)]),
    );
  }
  for (const fault of faults)
    for (const secret of secrets.filter(({ length }) => length > 8))
      assert.ok(!`${fault.message} ${fault.says} ${JSON.stringify(fault.detail)}`.includes(secret), secret);
});
