import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { JsonObject } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, faultOf, fileWith, replyOf, type FakeReply } from "../fake-call.kit.ts";

/* The vector of RFC 7616 with SHA-256 is a case of example_login__digest_record. */

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
  await compileDeclarative(fileWith(`${DIGEST}\n${steps}`), "a.yaml").run(call);
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
    const fault = await faultOf(compileDeclarative(fileWith(DIGEST), "a.yaml").run(call));
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
      (await faultOf(caller()(() => replyOf(401, {}, { "www-authenticate": challenge })))).code,
      "source.credential_rejected",
    );
});

function caller(parts = DIGEST, nonce?: string) {
  const source = compileDeclarative(fileWith(parts), "a.yaml");
  return (
    answer: Parameters<typeof fakeCall>[0],
    { credentials = MUFASA, scope = "org_1/a" }: { credentials?: JsonObject; scope?: string } = {},
  ) => Promise.resolve(source.run(fakeCall(answer, { credentials, scope, moment: { nonce } }).call));
}

const response = (one: Asked) => one.options.headers?.["authorization"]?.toString();
const parameter = (one: Asked, name: string) => new RegExp(`\\b${name}="?([^",]*)`).exec(response(one) ?? "")?.[1];

/**
 * A vendor that takes each count of a nonce once, and each nonce `usesMax` times. `asked`: every request, with the status
 * of its reply.
 */
function strictVendor(usesMax = Infinity, { qop = "auth", next = false } = {}) {
  const asked: { readonly status: number; readonly nonce: string | undefined; readonly nc: string | undefined }[] = [];
  const replies: FakeReply[] = [];
  const counts = new Map<string, Set<string>>();
  const issue = () => {
    const nonce = `n${counts.size + 1}`;
    counts.set(nonce, new Set());
    return nonce;
  };
  const judge = (one: Asked) => {
    const [nonce, nc] = [parameter(one, "nonce"), parameter(one, "nc")];
    const counted = counts.get(nonce ?? "");
    const isRight = counted !== undefined && parameter(one, "response") === expected(one, qop);
    const isFresh = isRight && counted.size < usesMax && !counted.has(nc!);
    if (isFresh) counted.add(nc!);
    const status = isFresh ? 200 : 401;
    asked.push({ status, nonce, nc });
    if (isFresh) return replyOf(200, {}, next ? { "authentication-info": `qop=auth, nextnonce="${issue()}"` } : {});
    const stale = isRight ? ", stale=true" : "";
    return replyOf(401, {}, { "www-authenticate": `Digest realm="r", qop="${qop}", nonce="${issue()}"${stale}` });
  };
  const answer = async (one: Asked) => {
    await new Promise(setImmediate);
    replies.push(judge(one));
    return replies.at(-1)!;
  };
  const forget = () => counts.clear();
  return { answer, asked, replies, forget, statuses: () => asked.splice(0).map(({ status }) => status) };
}

const md5 = (text: string) => createHash("md5").update(text).digest("hex");

function expected(one: Asked, qop: string): string {
  const { pathname, search } = new URL(one.url);
  const body = qop === "auth-int" ? `:${md5(String(one.options.body ?? ""))}` : "";
  const a2 = md5(`${one.method}:${pathname}${search}${body}`);
  const [nonce, nc, cnonce] = ["nonce", "nc", "cnonce"].map((name) => parameter(one, name));
  return md5(`${md5(`Mufasa:r:${MUFASA.key}`)}:${nonce}:${nc}:${cnonce}:${qop}:${a2}`);
}

test("later calls of a credential respond to its challenge at once, with a count of their own", async () => {
  const { answer, asked, statuses } = strictVendor();
  const call = caller();
  await call(answer);
  await Promise.all(Array.from({ length: 20 }, () => call(answer)));
  assert.deepEqual(
    asked.map(({ nc }) => nc),
    [undefined, ...Array.from({ length: 21 }, (_, at) => (at + 1).toString(16).padStart(8, "0"))],
  );
  statuses();
  await call(answer, { scope: "org_1/b" });
  await call(answer, { scope: "org_2/a" });
  assert.deepEqual(statuses(), [401, 200, 401, 200], "a challenge is never used for another credential");
});

test("a nonce that is used up costs one refused request, which is not billed", async () => {
  const { answer, replies, statuses } = strictVendor(2);
  const call = caller();
  for (let made = 0; made < 4; made += 1) await call(answer);
  assert.deepEqual(statuses(), [401, 200, 200, 401, 200, 200]);
  assert.deepEqual(
    replies.map(({ said }) => said),
    [["no"], [], [], ["no"], [], []],
  );
});

test("no count of a nonce is repeated, however many calls begin at once and however short a nonce lasts", async () => {
  for (const usesMax of [1, 3, Infinity]) {
    const { answer, asked } = strictVendor(usesMax);
    const call = caller();
    for (let round = 0; round < 3; round += 1) await Promise.allSettled(Array.from({ length: 10 }, () => call(answer)));
    const used = asked.flatMap(({ nonce, nc }) => (nonce === undefined ? [] : [`${nonce} ${nc}`]));
    assert.equal(new Set(used).size, used.length);
  }
});

test("calls that are challenged with the same nonce at once share its count", async () => {
  const used: (string | undefined)[] = [];
  const call = caller();
  const answer = async (one: Asked) => {
    await new Promise(setImmediate);
    if (response(one) !== undefined) return (used.push(parameter(one, "nc")), replyOf(200));
    return replyOf(401, {}, { "www-authenticate": RFC_2617 });
  };
  await Promise.all([1, 2, 3].map(() => call(answer)));
  assert.deepEqual(new Set(used), new Set(["00000001", "00000002", "00000003"]));
});

test("a vendor that has forgotten its nonces, and does not call them stale, is answered anew", async () => {
  const { answer, forget, statuses } = strictVendor();
  const call = caller();
  await call(answer);
  forget();
  await call(answer);
  assert.deepEqual(statuses(), [401, 200, 401, 200]);
});

test("a request is sent three times at most, and the third time only after a stale nonce", async () => {
  for (const [stale, most] of [
    [", stale=true", 3],
    [", stale=false", 2],
    ["", 2],
  ] as const) {
    let sent = 0;
    const call = caller();
    const answer = () => replyOf(401, {}, { "www-authenticate": `Digest realm="r", nonce="n${(sent += 1)}"${stale}` });
    for (let made = 1; made <= 2; made += 1) {
      assert.equal((await faultOf(call(answer))).code, "source.credential_rejected");
      assert.equal(sent, made * most);
    }
  }
});

test("only 401 with a challenge is answered, because any other request may have been processed", async () => {
  for (const status of [400, 403, 407, 500, 503]) {
    let sent = 0;
    const answer = () => ((sent += 1), replyOf(status, {}, { "www-authenticate": RFC_2617 }));
    await faultOf(caller()(answer));
    assert.equal(sent, 1);
  }
});

test("the next nonce that a reply names is used in place of the last one", async () => {
  const { answer, asked, statuses } = strictVendor(1, { next: true });
  const call = caller();
  for (let made = 0; made < 3; made += 1) await call(answer);
  assert.deepEqual(asked.map(({ nonce, nc }) => `${nonce} ${nc}`).slice(1), [
    "n1 00000001",
    "n2 00000001",
    "n3 00000001",
  ]);
  assert.deepEqual(statuses(), [401, 200, 200, 200]);
});

test("auth-int covers the body of each request", async () => {
  const { answer, statuses } = strictVendor(Infinity, { qop: "auth-int" });
  const call = caller(
    `${DIGEST}\nrequest: {method: POST, url: 'https://api.acme.example/p', query: {q: a b}, body: {json: {t: '{{ nonce }}'}}}`,
  );
  await call(answer);
  await call(answer);
  assert.deepEqual(statuses(), [401, 200, 200]);
});

test("all responses to the challenge of a session have its first cnonce", async () => {
  const asked: Asked[] = [];
  const call = caller();
  const answer = (one: Asked) => {
    asked.push(one);
    if (response(one) === undefined)
      return replyOf(401, {}, { "www-authenticate": 'Digest realm="r", nonce="n", qop="auth", algorithm=MD5-sess' });
    return replyOf(200, {}, { "authentication-info": 'nextnonce="m"' });
  };
  await call(answer);
  await call(answer);
  const [, first, second] = asked.map((one) => ["nonce", "nc", "cnonce"].map((name) => parameter(one, name)));
  assert.deepEqual([first![1], second], ["00000001", [first![0], "00000002", first![2]]]);
});

/* RFC 7616, sections 3.9.1 and 3.9.2, the latter as corrected by erratum 4897. */
const VECTORS = [
  {
    credentials: { user: "Mufasa", key: "Circle of Life" },
    address: "http://www.example.org/dir/index.html",
    challenge:
      'Digest realm="http-auth@example.org", qop="auth, auth-int", algorithm=MD5, nonce="7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v", opaque="FQhe/qaU925kfnzjCev0ciny7QMkPqMAFRtzCUYo5tdS"',
    cnonce: "f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ",
    username: "Mufasa",
    response: "8ca523f5e9506fed4657c9700eebdbec",
  },
  {
    credentials: { user: "J\u00e4s\u00f8n Doe", key: "Secret, or not?" },
    address: "http://api.example.org/doe.json",
    challenge:
      'Digest realm="api@example.org", qop="auth", algorithm=SHA-512-256, nonce="5TsQWLVdgBdmrQ0XsxbDODV+57QdFR34I9HAbC/RVvkK", opaque="HRPCssKJSGjCrkzDg8OhwpzCiGPChXYjwrI2QmXDnsOS", charset=UTF-8, userhash=true',
    cnonce: "NTg6RKcb9boFIAS3KrFK9BGeh+iDa/sm6jUMp2wds69v",
    username: "793263caabb707a56211940d90411ea4a575adeccb7e360aeb624ed06ece9b0b",
    response: "3798d4131c277846293534c3edc11bd8a5e4cdcbff78b05db9d95eeb1cec68a5",
  },
];

for (const { credentials, address, challenge, cnonce, username, response: right } of VECTORS) {
  test(`the example of RFC 7616 with ${/algorithm=([^,]+)/.exec(challenge)![1]} has its response`, async () => {
    const asked: Asked[] = [];
    const parts = `${DIGEST}\norigins: [${new URL(address).origin}]\nrequest: {url: '${address}'}`;
    const answer = (one: Asked) =>
      asked.push(one) < 2 ? replyOf(401, {}, { "www-authenticate": challenge }) : replyOf(200);
    await caller(parts, cnonce)(answer, { credentials });
    assert.deepEqual([parameter(asked[1]!, "username"), parameter(asked[1]!, "response")], [username, right]);
  });
}
