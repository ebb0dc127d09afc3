import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../../terms/time/clock.kit.ts";
import { Fault } from "../../../terms/fault.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { compileDeclarative } from "../compile-declarative.ts";
import { type Asked, fakeCall, type FakeReply, faultOf, fileWith, replyOf } from "../fake-call.kit.ts";
import { refusal } from "./signed-requests.kit.ts";

const LOGIN = [
  "auth:",
  "  kind: token_exchange",
  "  request:",
  "    method: POST",
  "    url: https://api.acme.example/login",
  "    body: {form: {grant_type: password, username: '{{ credentials.user }}', password: '{{ credentials.key }}'}}",
  "  token: body.access_token",
  "  expires_in: body.expires_in",
].join("\n");

interface LoginVendor {
  readonly expiresIn?: number;
  readonly refused?: Set<string>;
  readonly refusal?: () => FakeReply;
}

/** A vendor with a login. Its tokens are numbered; those in `refused` get the reply `refusal`. */
function loginVendor({ expiresIn, refused = new Set(), refusal = () => replyOf(401) }: LoginVendor = {}) {
  let logins = 0;
  const used: string[] = [];
  const answer = (asked: Asked) => {
    if (asked.url.endsWith("/login")) {
      logins += 1;
      return replyOf(200, {
        access_token: `t${logins}`,
        ...(expiresIn === undefined ? {} : { expires_in: expiresIn }),
      });
    }
    const token = String(asked.options.headers?.["authorization"]).replace("Bearer ", "");
    used.push(token);
    return refused.has(token) ? refusal() : replyOf(200);
  };
  return { answer, used, logins: () => logins };
}

function caller(clock = new FakeClock(), parts = LOGIN) {
  const source = compileDeclarative(fileWith(parts), "a.yaml", { clock });
  return (answer: Parameters<typeof fakeCall>[0], scope: string | undefined) =>
    Promise.resolve(source.run(fakeCall(answer, { credentials: { user: "u", key: "k" }, scope }).call));
}

test("one login serves many calls of one credential, and only those", async () => {
  const vendor = loginVendor();
  const call = caller();
  await Promise.all([1, 2, 3].map(() => call(vendor.answer, "org_a")));
  await call(vendor.answer, "org_a");
  assert.equal(vendor.logins(), 1);
  await call(vendor.answer, "org_b");
  assert.equal(vendor.logins(), 2);
  assert.deepEqual(vendor.used, ["t1", "t1", "t1", "t1", "t2"]);
});

test("where nothing says whose credential it is, no token is kept", async () => {
  const vendor = loginVendor();
  const call = caller();
  await call(vendor.answer, undefined);
  await call(vendor.answer, undefined);
  assert.equal(vendor.logins(), 2);
});

test("a token is renewed before its end, after five minutes when nothing is said", async () => {
  for (const [expiresIn, lastsMs] of [
    [60, 30_000],
    [undefined, 270_000],
    [10, 5_000],
  ] as const) {
    const clock = new FakeClock();
    const vendor = loginVendor(expiresIn === undefined ? {} : { expiresIn });
    const call = caller(clock);
    await call(vendor.answer, "a");
    await clock.advance(lastsMs - 1);
    await call(vendor.answer, "a");
    assert.equal(vendor.logins(), 1);
    await clock.advance(2);
    await call(vendor.answer, "a");
    assert.equal(vendor.logins(), 2);
  }
});

test("a token that the vendor refuses is fetched again once, and the call made once more", async () => {
  const vendor = loginVendor({ refused: new Set(["t1"]) });
  const call = caller();
  await call(vendor.answer, "a");
  assert.deepEqual(vendor.used, ["t1", "t2"]);
  await call(vendor.answer, "a");
  assert.deepEqual([vendor.logins(), vendor.used.at(-1)], [2, "t2"]);
});

test("a second refusal is the credential's fault and ends the call", async () => {
  const vendor = loginVendor({ refused: new Set(["t1", "t2", "t3"]) });
  const fault = await faultOf(caller()(vendor.answer, "a"));
  assert.equal(fault.code, "source.credential_rejected");
  assert.deepEqual(vendor.used, ["t1", "t2"]);
});

test("a kept token that gets 403 is not used again; the call is not repeated, nor a fresh one doubted", async () => {
  const vendor = loginVendor();
  let status = 200;
  const answer = (asked: Asked) => {
    const reply = vendor.answer(asked);
    return asked.url.endsWith("/login") || status === 200 ? reply : replyOf(status);
  };
  const call = caller();
  await call(answer, "a");
  status = 403;
  assert.equal((await faultOf(call(answer, "a"))).code, "source.credential_rejected");
  assert.deepEqual([vendor.logins(), vendor.used.length], [1, 2], "nothing is asked twice");
  assert.equal((await faultOf(call(answer, "a"))).code, "source.credential_rejected");
  assert.deepEqual([vendor.logins(), vendor.used.at(-1)], [2, "t2"]);
  status = 200;
  await call(answer, "a");
  assert.deepEqual([vendor.logins(), vendor.used.at(-1)], [2, "t2"], "403 to a fresh one was meant");
});

/** Replies by which vendors report that a session is over, each with a row of `errors` that recognises it. */
const SESSION_ENDS: readonly (readonly [what: string, status: number, body: JsonObject, when: string])[] = [
  ["440", 440, {}, "{status: 440}"],
  ["419", 419, {}, "{status: [419, 440]}"],
  [
    "400 invalid_token",
    400,
    { error: "invalid_token" },
    "{status: 400, predicate: 'body.error == `\"invalid_token\"`'}",
  ],
  ["200 with an error", 200, { code: "SESSION_EXPIRED" }, "{predicate: 'body.code == `\"SESSION_EXPIRED\"`'}"],
];

for (const [what, status, body, when] of SESSION_ENDS) {
  test(`a kept token that ends with ${what} is dropped, and the call made once more with a new one`, async () => {
    const refused = new Set<string>();
    const refusals: FakeReply[] = [];
    const refusal = () => (refusals.push(replyOf(status, body)), refusals.at(-1)!);
    const vendor = loginVendor({ refused, refusal });
    const call = caller(new FakeClock(), `${LOGIN}\nerrors: [{when: ${when}, kind: credential}]`);
    await call(vendor.answer, "a");
    refused.add("t1");
    await call(vendor.answer, "a");
    await call(vendor.answer, "a");
    assert.deepEqual(vendor.used, ["t1", "t1", "t2", "t2"]);
    assert.deepEqual(refusals[0]!.said, ["no"], "the request that was refused is not billed");
  });

  test(`a kept token that ends with ${what} is dropped where a repetition might be billed, but nothing is sent twice`, async () => {
    for (const charged of ["yes", "unknown"]) {
      const refused = new Set<string>();
      const vendor = loginVendor({ refused, refusal: () => replyOf(status, body) });
      const rows = `errors: [{when: ${when}, kind: credential, charged: ${charged}}]`;
      const call = caller(new FakeClock(), `${LOGIN}\n${rows}`);
      await call(vendor.answer, "a");
      refused.add("t1");
      const fault = await faultOf(call(vendor.answer, "a"));
      assert.deepEqual([fault.code, fault.reported], ["source.credential_rejected", { charged }]);
      await call(vendor.answer, "a");
      assert.deepEqual(vendor.used, ["t1", "t1", "t2"]);
    }
  });

  test(`a token that ends with ${what} between two steps is replaced, and the step before it is not repeated`, async () => {
    const refused = new Set<string>();
    const vendor = loginVendor({ refused, refusal: () => replyOf(status, body) });
    const asked: string[] = [];
    const answer = (one: Asked) => {
      asked.push(new URL(one.url).pathname);
      const reply = vendor.answer(one);
      if (one.url.endsWith("/order")) refused.add(vendor.used.at(-1)!);
      return reply;
    };
    const step = (name: string, more = "") =>
      `{name: ${name}, ${more} request: {url: 'https://api.acme.example/${name}'}}`;
    for (const report of [step("report"), step("report", "free: true, poll: {until: 'status == `200`'},")]) {
      asked.length = 0;
      const steps = `steps: [${step("order")}, ${report}]\nerrors: [{when: ${when}, kind: credential}]`;
      await caller(new FakeClock(), `${LOGIN}\n${steps}`)(answer, "a");
      assert.deepEqual(asked, ["/login", "/order", "/report", "/login", "/report"]);
    }
  });
}

test("a session that ends in a free request says nothing of what the order before it cost", async () => {
  const steps = [
    "steps:",
    "  - {name: order, request: {method: POST, url: 'https://api.acme.example/order'}, order_id: body.id}",
    "  - {name: report, free: true, request: {url: 'https://api.acme.example/report'}}",
    "errors: [{when: {predicate: 'body.code == `\"SESSION_EXPIRED\"`'}, kind: credential}]",
  ].join("\n");
  const { call } = fakeCall(
    ({ url }) => replyOf(200, url.endsWith("/order") ? { id: 1 } : { code: "SESSION_EXPIRED" }),
    {
      inputs: { name: "Ada" },
    },
  );
  const fault = await faultOf(compileDeclarative(fileWith(steps), "a.yaml").run(call));
  assert.deepEqual([fault.code, fault.reported], ["source.credential_rejected", null]);
});

test("a vendor that refuses every token gets one login and two requests from a call, and never more", async () => {
  const refused = new Set(["t1", "t2", "t3", "t4", "t5"]);
  const vendor = loginVendor({ refused, refusal: () => replyOf(440) });
  const call = caller(new FakeClock(), `${LOGIN}\nerrors: [{when: {status: 440}, kind: credential}]`);
  for (let made = 1; made <= 2; made += 1) {
    assert.equal((await faultOf(call(vendor.answer, "a"))).code, "source.credential_rejected");
    assert.ok(vendor.logins() <= made && vendor.used.length <= 2 * made);
  }
});

const INVALID_CLIENT = 'body.error == `"invalid_client"`';

test("a login that reports its error in a 200 fails as the file's rows say, and is never the fault of the inputs", async () => {
  const rows = (kind: string) => `${LOGIN}\nerrors: [{when: {predicate: '${INVALID_CLIENT}'}, kind: ${kind}}]`;
  for (const [kind, code] of [
    ["credential", "source.credential_rejected"],
    ["rate_limited", "source.rate_limited"],
    ["input", "source.contract"],
  ] as const) {
    const fault = await faultOf(
      caller(new FakeClock(), rows(kind))(() => replyOf(200, { error: "invalid_client" }), "a"),
    );
    assert.deepEqual([fault.code, fault.reported], [code, null], kind);
  }
});

test("a login with a token is good, even if a row of the file fits its reply", async () => {
  const vendor = loginVendor();
  const call = caller(
    new FakeClock(),
    `${LOGIN}\nerrors: [{when: {predicate: 'status == \`201\`'}, kind: credential}]`,
  );
  await call(
    (asked) => (asked.url.endsWith("/login") ? replyOf(201, { access_token: "t" }) : vendor.answer(asked)),
    "a",
  );
  assert.deepEqual(vendor.used, ["t"]);
});

test("a login that is refused fails everybody who waits for it, and nothing else is asked", async () => {
  let asked = 0;
  const call = caller();
  const answer = () => {
    asked += 1;
    return replyOf(400, { error: "invalid_grant" });
  };
  const faults = await Promise.all([1, 2].map(() => faultOf(call(answer, "a"))));
  assert.deepEqual(
    faults.map(({ code }) => code),
    ["source.credential_rejected", "source.credential_rejected"],
  );
  assert.equal(asked, 1);
});

test("who waits for a login that times out makes one of its own", async () => {
  const vendor = loginVendor();
  const call = caller();
  const late = Promise.withResolvers<never>();
  const first = call(() => late.promise, "a");
  const second = call(vendor.answer, "a");
  late.reject(new Fault("source.timeout", { afterMs: 1 }));
  assert.equal((await faultOf(first)).code, "source.timeout");
  await second;
  assert.deepEqual(vendor.used, ["t1"]);
});

test("a token with a lifetime of 0 is for one call, and a call that waited for it fetches another at once", async () => {
  const vendor = loginVendor({ expiresIn: 0 });
  const [first, others] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let begun = 0;
  const call = caller();
  const answer = async (asked: Asked) => {
    if (!asked.url.endsWith("/login")) return vendor.answer(asked);
    begun += 1;
    await (begun === 1 ? first : others).promise;
    return vendor.answer(asked);
  };
  const calls = [1, 2, 3, 4].map(() => call(answer, "a"));
  assert.equal(begun, 1);
  first.resolve();
  await new Promise(setImmediate);
  assert.equal(begun, 4, "none of them waits for another");
  others.resolve();
  await Promise.all(calls);
  await call(answer, "a");
  assert.deepEqual(vendor.used.toSorted(), ["t1", "t2", "t3", "t4", "t5"]);
});

test("a login without a token is off contract, and a token that cannot be sent as well", async () => {
  const call = caller();
  assert.equal((await faultOf(call(() => replyOf(200, {}), "a"))).code, "source.contract");
  assert.equal((await faultOf(call(() => replyOf(200, { access_token: "a\nb" }), "b"))).code, "source.contract");
});

test("an input that cannot be sent costs no login", async () => {
  const vendor = loginVendor();
  const parts = `${LOGIN}\nrequest: {url: 'https://api.acme.example/{{ inputs.name }}'}`;
  const { call } = fakeCall(vendor.answer, {
    inputs: { name: ".." },
    credentials: { user: "u", key: "k" },
    scope: "a",
  });
  const source = compileDeclarative(fileWith(parts), "a.yaml");
  assert.equal((await faultOf(source.run(call))).code, "source.input_invalid");
  assert.equal(vendor.logins(), 0);
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

test("a login can be authenticated by several kinds at once", async () => {
  const { call, asked } = fakeCall(() => replyOf(200, { t: "t-1" }), { credentials: { key: "k", user: "a b:c" } });
  const file = `auth:
  kind: token_exchange
  request: {method: POST, url: 'https://api.acme.example/login', body: {form: {client_assertion: '{{ jwt }}'}}}
  auth:
    - {kind: api_key, header: X-Gateway, value: '{{ credentials.key }}'}
    - {kind: basic, username: '{{ credentials.user | percent_encode }}', password: '{{ credentials.key }}'}
    - {kind: jwt, algorithm: HS512, key: '{{ credentials.key }}', claims: {}}
  token: body.t`;
  await compileDeclarative(fileWith(file), "a.yaml").run(call);
  const [login, request] = asked.map(({ options }) => options.headers!);
  assert.equal(login!["x-gateway"], "k");
  assert.equal(login!["authorization"], `Basic ${Buffer.from("a%20b%3Ac:k").toString("base64")}`);
  assert.match(String(asked[0]!.options.body), /^client_assertion=[^.]+\.[^.]+\.[^.]+$/);
  assert.deepEqual([request!["x-gateway"], request!["authorization"]], [undefined, "Bearer t-1"]);
  assert.match(refusal(file.replace("header: X-Gateway", "header: Authorization")), /is also set by auth/);
});
