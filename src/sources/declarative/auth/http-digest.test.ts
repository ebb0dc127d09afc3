import assert from "node:assert/strict";
import { test } from "node:test";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { NAMED, sent } from "./signed-requests.kit.ts";

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
