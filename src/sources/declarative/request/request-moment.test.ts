import assert from "node:assert/strict";
import { test } from "node:test";
import { compileDeclarative } from "../compile-declarative.ts";
import { fakeCall, fileWith, replyOf } from "../fake-call.kit.ts";
import { sent } from "../auth/signed-requests.kit.ts";

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
