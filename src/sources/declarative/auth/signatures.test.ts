import assert from "node:assert/strict";
import { createHash, createHmac, createPrivateKey, generateKeyPairSync, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { makeUpCredentials } from "../../../simulation/made-up-credentials.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { ASYMMETRIC } from "./jwt.ts";

/* The published vectors of AWS, Akamai, RFC 5849 and RFC 7616 are cases of the examples in catalog/sources. */

const AT = Date.UTC(2024, 0, 2, 3, 4, 5, 678);
const moment = { wallMs: AT, nonce: "nonce-1" };
const NAMED = {
  credentials: "credentials: {type: object, properties: {key: {type: string}, user: {type: string}}}",
  inputs: "inputs: {type: object, properties: {name: {type: string}}}",
};

async function sent(
  parts: string,
  credentials: JsonObject = { key: "k" },
  answer = () => replyOf(200),
): Promise<Asked[]> {
  const { call, asked } = fakeCall(answer, { credentials, inputs: { name: "Ada" }, moment });
  await compileDeclarative(fileWith(`${NAMED.inputs}\n${NAMED.credentials}\n${parts}`), "a.yaml").run(call);
  return [...asked];
}

function refusal(parts: string): string {
  try {
    compileDeclarative(fileWith(parts), "a.yaml");
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error("a refusal was expected");
}

const hex = (algorithm: string, text: string) => createHash(algorithm).update(text).digest("hex");

test("time, nonce and request id can be anywhere in a request, and numbers stay numbers", async () => {
  const [asked] = await sent(`request:
  method: POST
  url: https://api.acme.example/{{ nonce }}/{{ clock.day }}
  query: {t: '{{ clock.unix_ms }}', h: '{{ clock.http }}'}
  headers: {Idempotency-Key: '{{ request_id }}', X-Time: '{{ clock.iso_seconds }}'}
  body: {json: {unix: '{{ clock.unix }}', text: '{{ concat(clock.unix) }}', iso: '{{ clock.iso }}', at: '{{ clock.compact }}'}}`);
  const { url, options } = asked!;
  assert.equal(
    url,
    "https://api.acme.example/nonce-1/20240102?t=1704164645678&h=Tue%2C%2002%20Jan%202024%2003%3A04%3A05%20GMT",
  );
  const { "idempotency-key": id, "x-time": time } = options.headers!;
  assert.deepEqual([id, time], ["nonce-1", "2024-01-02T03:04:05Z"]);
  assert.deepEqual(JSON.parse(String(options.body)), {
    unix: 1704164645,
    text: "1704164645",
    iso: "2024-01-02T03:04:05.678Z",
    at: "20240102T030405Z",
  });
});

test("each request has its own id, which stays when it is sent again with another token; the nonce does not stay", async () => {
  const file =
    fileWith(`auth: {kind: token_exchange, request: {method: POST, url: 'https://api.acme.example/login'}, token: body.t}
steps:
  - {name: a, request: {url: 'https://api.acme.example/a', headers: {X-Id: '{{ request_id }}', X-Nonce: '{{ nonce }}'}}}
  - {name: b, request: {url: 'https://api.acme.example/b', headers: {X-Id: '{{ request_id }}', X-Nonce: '{{ nonce }}'}}}`);
  let refused = 0;
  const { call, asked } = fakeCall(({ url }) =>
    url.endsWith("/a") && (refused += 1) === 1 ? replyOf(401) : replyOf(200, { t: "t" }),
  );
  await compileDeclarative(file, "a.yaml").run(call);
  const [a, again, b] = asked.filter(({ url }) => !url.endsWith("/login")).map(({ options }) => options.headers!);
  assert.equal(a!["x-id"], again!["x-id"]);
  assert.notEqual(a!["x-id"], b!["x-id"]);
  assert.equal(new Set([a, again, b].map((headers) => headers!["x-nonce"])).size, 3);
});

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
    ["PS256", RSA_KEY, { padding: 6, saltLength: 32 }],
    ["ES256", EC_KEY, { dsaEncoding: "ieee-p1363" }],
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
    const hash = algorithm === "EdDSA" ? null : "sha256";
    assert.ok(verify(hash, made.signed, { key: publicKey, ...options }, made.signature), algorithm);
  }
  const shared = await jwtOf(jwtFile("HS256", ", key_encoding: base64url, expires_in: 1m"), "AyM1SysPpbyD");
  assert.equal(shared.claims["exp"], 1704164705);
  const key = Buffer.from("AyM1SysPpbyD", "base64url");
  assert.deepEqual(shared.signature, createHmac("sha256", key).update(shared.signed).digest());
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

test("OAuth 1 signs a form, a hash of another body, and with a private key", async () => {
  const oauth = (more: string, request: string) =>
    sent(
      `auth: {kind: oauth1, consumer_key: '{{ credentials.user }}', consumer_secret: '{{ credentials.key }}', ${more}}\nrequest: {method: POST, url: 'https://api.acme.example/x', ${request}}`,
      { user: "u", key: more.includes("RSA") ? pemOf(RSA_KEY.privateKey) : "s&" },
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

const DIGEST = "auth: {kind: http_digest, username: '{{ credentials.user }}', password: '{{ credentials.key }}'}";
const MUFASA = { user: "Mufasa", key: "Circle Of Life" };
const RFC_2617 =
  'Digest realm="testrealm@host.com", qop="auth,auth-int", nonce="dcd98b7102dd2f0e8b11d0f600bfb0c093", opaque="5ccc069c403ebaf9f0171e9517f40e41"';

test("a Digest challenge is answered as in RFC 2617, and one challenge by several requests of a call", async () => {
  let refused = 0;
  const { call, asked } = fakeCall(
    () =>
      (refused += 1) === 1 ? replyOf(401, {}, { "www-authenticate": `Basic realm="x", ${RFC_2617}` }) : replyOf(200),
    { credentials: MUFASA, moment: { nonce: "0a4f113b" } },
  );
  const steps = `steps:
  - {name: a, request: {url: 'https://api.acme.example/dir/index.html'}}
  - {name: b, request: {url: 'https://api.acme.example/dir/index.html'}}`;
  await compileDeclarative(fileWith(`${NAMED.credentials}\n${DIGEST}\n${steps}`), "a.yaml").run(call);
  const [first, ...answers] = asked.map(({ options }) => options.headers?.["authorization"]);
  assert.equal(first, undefined);
  assert.match(String(answers[0]), /nc=00000001, .*response="6629fae49393a05397450978507c4ef1"/);
  assert.match(String(answers[1]), /nc=00000002/);
  assert.equal(answers.length, 2);
});

test("a Digest challenge is answered once, and the refused request is not billed", async () => {
  for (const challenge of [
    RFC_2617,
    "Digest realm=r, nonce=n",
    'Digest realm="r", nonce="n", qop="auth-int", algorithm=SHA-256-sess, userhash=true',
  ]) {
    const replies = [1, 2, 3].map(() => replyOf(401, {}, { "www-authenticate": challenge }));
    const { call, asked } = fakeCall((_, index) => replies[index]!, { credentials: MUFASA });
    const fault = await faultOf(compileDeclarative(fileWith(`${NAMED.credentials}\n${DIGEST}`), "a.yaml").run(call));
    assert.deepEqual([fault.code, asked.length], ["source.credential_rejected", 2]);
    assert.deepEqual(replies[0]!.said, ["no"]);
  }
  for (const challenge of [
    'Basic realm="x"',
    'Digest realm="r", nonce="n", algorithm=X',
    'Digest realm="r", qop="x"',
    "",
    '"=,Digest',
  ])
    assert.equal(
      (await faultOf(sent(DIGEST, MUFASA, () => replyOf(401, {}, { "www-authenticate": challenge })))).code,
      "source.credential_rejected",
    );
});

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

test("a cached token can stand in the query or in the body, and then it is in no header field", async () => {
  for (const request of [
    "request: {url: 'https://api.acme.example/x', query: {session: '{{ token }}'}}",
    "request: {method: POST, url: 'https://api.acme.example/x', body: {json: {session: '{{ token }}'}}}",
  ]) {
    let logins = 0;
    const answer = ({ url }: Asked) =>
      url.endsWith("/login") ? replyOf(200, { t: `t&${(logins += 1)}` }) : replyOf(200);
    const source = compileDeclarative(
      fileWith(
        `auth: {kind: token_exchange, request: {method: POST, url: 'https://api.acme.example/login'}, token: body.t}\n${request}`,
      ),
      "a.yaml",
    );
    for (let made = 0; made < 2; made += 1) {
      const { call, asked } = fakeCall(answer, { scope: "org/c" });
      await source.run(call);
      const { url, options } = asked.at(-1)!;
      assert.ok(url.endsWith("?session=t%261") || String(options.body) === '{"session":"t&1"}');
      assert.equal(options.headers?.["authorization"], undefined);
    }
    assert.equal(logins, 1);
  }
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

const HMAC = "kind: hmac, algorithm: sha256, encoding: hex";

for (const [what, parts, says] of [
  [
    "a signature that nothing contains",
    `auth: {${HMAC}, key: k, canonical: x}`,
    /a\.yaml:\d+:\d+: this request does not contain its signature \(write \{\{ signature \}\}/,
  ],
  ["no key", `auth: {${HMAC}, canonical: x, header: X}`, /a signature has one key \(give one of key and key_from\)/],
  ["two keys", `auth: {${HMAC}, canonical: x, header: X, key: k, key_from: a}`, /a signature has one key/],
  [
    "an unknown step",
    `auth: {${HMAC}, canonical: x, header: X, key_from: datekey, derive: [{name: date_key, text: x}]}`,
    /no step "datekey" before this \(did you mean "?date_key/,
  ],
  [
    "a step that comes later",
    `auth: {${HMAC}, canonical: x, header: X, key: k, derive: [{name: a, text: '{{ derived.b }}'}, {name: b, text: x}]}`,
    /derived has no "b"/,
  ],
  [
    "two steps of a name",
    `auth: {${HMAC}, canonical: x, header: X, key: k, derive: [{name: a, text: x}, {name: a, text: x}]}`,
    /there are two steps "a"/,
  ],
  [
    "fields without the signature",
    `auth: {${HMAC}, key: k, canonical: x, headers: {X-T: '{{ nonce }}'}}`,
    /header fields without the signature/,
  ],
  [
    "a value without a field",
    `auth: {${HMAC}, key: k, canonical: x, value: 'v1={{ signature }}'}`,
    /"value" belongs to a header field/,
  ],
  [
    "two signatures of one name",
    `auth: [{${HMAC}, key: k, canonical: x}, {${HMAC}, key: k, canonical: y}]\nrequest: {url: 'https://api.acme.example/', query: {s: '{{ signature }}'}}`,
    /could be that of two kinds of auth/,
  ],
  [
    "a body that contains its own signature",
    `auth: {${HMAC}, key: k, canonical: '{{ request.body }}'}\nrequest: {method: POST, url: 'https://api.acme.example/', body: {text: '{{ signature }}'}}`,
    /the body contains \{\{ signature \}\}, which is computed from the body/,
  ],
  [
    "a signature without a kind that makes it",
    "request: {url: 'https://api.acme.example/{{ signature }}'}",
    /"signature" is not available here \(auth of kind hmac or digest makes it/,
  ],
  [
    "an encoding of PEM",
    "auth: {kind: jwt, algorithm: RS256, key: k, key_encoding: hex, claims: {}}",
    /a key of RS256 is PEM/,
  ],
  ["an unknown algorithm", "auth: {kind: jwt, algorithm: RS255, key: k, claims: {}}", /did you mean "?RS256/],
  [
    "a UsernameToken without an envelope",
    "auth: {kind: ws_security, username: u, password: p}",
    /needs the XML body of a SOAP envelope/,
  ],
  [
    "two challenges",
    "auth: [{kind: http_digest, username: u, password: p}, {kind: http_digest, username: u, password: p}]",
    /one response to a challenge/,
  ],
  [
    "a challenge and a token in one field",
    "auth: [{kind: http_digest, username: u, password: p}, {kind: bearer, token: t}]",
    /the header "authorization" is also set by auth/,
  ],
  [
    "an unknown form of the time",
    "request: {url: 'https://api.acme.example/{{ clock.unixms }}'}",
    /did you mean "?unix_ms/,
  ],
] as const) {
  test(`a file with ${what} is refused with its line and advice`, () => assert.match(refusal(parts), says));
}
