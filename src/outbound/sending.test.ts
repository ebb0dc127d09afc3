import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../../test/rig/until.ts";
import { rawThenReset } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import type { HttpOptions } from "../sdk/http.ts";
import { CONNECTION_HEADERS } from "../terms/http/connection-headers.ts";
import { Fault } from "../terms/fault.ts";
import { codeOf, faultOf, openTestClient } from "./http-client.kit.ts";

test("a request has what the author declared and the client's own defaults", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  await http.get(`${vendor.origin}/a?x=1`, {
    query: { name: "Ada L", ids: [1, 2], no: null },
    headers: { "X-Key": "k" },
  });

  const [request] = vendor.requests;
  assert.equal(request!.target, "/a?x=1&name=Ada%20L&ids=1&ids=2");
  assert.deepEqual(
    { ...request!.headers },
    {
      host: vendor.origin.slice("http://".length),
      connection: "keep-alive",
      "x-key": "k",
      accept: "application/json",
      "user-agent": "datarun",
      "accept-encoding": "gzip",
    },
  );
});

test("bodies are JSON, a form, or bytes as they are", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  await http.post(vendor.origin, { json: { a: "é" } });
  await http.put(vendor.origin, { form: { a: "x y", b: "ü&", c: undefined } });
  await http.post(vendor.origin, { body: new Uint8Array([0, 255]), headers: { "Content-Type": "application/x-own" } });
  await http.post(vendor.origin);

  const sent = vendor.requests.map(({ headers, body }) => [headers["content-type"], body.toString("latin1")]);
  assert.deepEqual(sent, [
    ["application/json", Buffer.from('{"a":"é"}').toString("latin1")],
    ["application/x-www-form-urlencoded", "a=x+y&b=%C3%BC%26"],
    ["application/x-own", "\u0000\u00ff"],
    [undefined, ""],
  ]);
});

const BAD_CALLS: readonly (readonly [what: string, options: HttpOptions])[] = [
  ...CONNECTION_HEADERS.map((name) => [`the header ${name}`, { headers: { [name]: "x" } }] as const),
  ["a line break in a header", { headers: { "x-key": "a\r\nx-admin: 1" } }],
  ["a zero byte in a header", { headers: { "x-key": "a\u0000" } }],
  ["a character whose low byte is a line feed", { headers: { "x-key": "a\u010ax-admin: 1" } }],
  ["an emoji in a header", { headers: { "x-key": "🎉" } }],
  ["a header twice, in two ways of writing", { headers: { "X-Key": "1", "x-KEY": "2" } }],
  ["an object in a header", { headers: { "x-key": {} as string } }],
  ["a header that is too large", { headers: { "x-key": "x".repeat(1_000_000) } }],
  ["a line break in a header's name", { headers: { "x\r\n-key": "1" } }],
  ["a header of the connection", { headers: { "Transfer-Encoding": "chunked" } }],
  ["a host", { headers: { host: "other.example" } }],
  ["a length", { headers: { "content-length": "1" } }],
  ["one header twice", { headers: { "X-Key": "1", "x-key": "2" } }],
  ["two bodies", { json: {}, body: "" }],
  ["a body JSON cannot say", { json: 1n }],
  ["a body that is a function", { json: () => 1 }],
  ["an object in the query", { query: { a: {} as string } }],
];

for (const [what, options] of BAD_CALLS) {
  test(`${what} is the adapter's failure, and nothing is sent`, async (t) => {
    const vendor = await startVendor(t);
    const { call, http } = openTestClient(t).call(vendor.origin);

    const fault = await faultOf(http.post(vendor.origin, options));

    assert.equal(fault.code, "source.adapter_raised");
    assert.equal(call.attempts.length, 0);
    assert.equal(vendor.connections, 0);
  });
}

test("a credential or an input that cannot be in a header is named, and its value is not", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const { http } = door.call(vendor.origin, { credential: { user: "ada", api_key: "s3cr\u0000t" } });
  const asked = door.call(vendor.origin, { inputs: { name: "Ada\nLovelace" } });

  const credential = await faultOf(http.get(vendor.origin, { headers: { authorization: "Bearer s3cr\u0000t" } }));
  const input = await faultOf(asked.http.get(vendor.origin, { headers: { "x-name": "Ada\nLovelace" } }));

  assert.equal(credential.code, "source.credential_missing");
  assert.match(credential.says, /api_key/);
  assert.equal(input.code, "source.input_invalid");
  assert.match(input.says, /input name/);
  assert.doesNotMatch(`${credential.says} ${String(credential.cause)} ${input.says}`, /s3cr|Lovelace/);
});

test("a method that opens a tunnel or echoes credentials cannot be used", async (t) => {
  const vendor = await startVendor(t);
  const { http } = openTestClient(t).call(vendor.origin);

  for (const method of ["CONNECT", "trace", "GET /x", ""]) {
    assert.equal(await codeOf(http.request(method, vendor.origin)), "source.adapter_raised");
  }
  assert.equal(vendor.count(), 0);
});

test("the intent is written before the vendor has the request, and a refused intent sends nothing", async (t) => {
  const vendor = await startVendor(t);
  const seen: number[] = [];
  let refuses = false;
  const door = openTestClient(t, {
    onIntent: () => {
      seen.push(vendor.count());
      if (refuses) throw new Fault("source.breaker_open");
    },
  });
  const { call, http } = door.call(vendor.origin);

  await http.get(vendor.origin);
  refuses = true;
  const fault = await faultOf(http.get(vendor.origin));

  assert.equal(fault.code, "source.unrecorded");
  assert.deepEqual(seen, [0, 1]);
  assert.equal(vendor.count(), 1);
  assert.equal(call.attempts.length, 1);
  assert.equal(call.attempts[0]!.status, 200);
});

test("a call that has ended, a run that may not send and a deadline that has passed send nothing", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const ended = door.call(vendor.origin);
  ended.call.end();
  const stopped = door.call(vendor.origin);
  stopped.run.clientGone();
  const late = door.call(vendor.origin, { timeoutMs: -1 });

  assert.equal(await codeOf(ended.http.get(vendor.origin)), "source.stopped");
  assert.equal(await codeOf(stopped.http.get(vendor.origin)), "source.stopped");
  assert.equal(await codeOf(late.http.get(vendor.origin)), "source.timeout");
  assert.equal(vendor.connections, 0);
});

test("a client that hangs up while the connection is being made is not billed", async (t) => {
  const vendor = await startVendor(t);
  const name = Promise.withResolvers<readonly string[]>();
  const origin = `http://vendor.example:${vendor.port}`;
  const { call, run, http } = openTestClient(t, { resolve: () => name.promise, allowPrivate: [origin] }).call(origin);

  const sent = faultOf(http.get(origin));
  await new Promise((resolve) => setTimeout(resolve, 20));
  run.clientGone();
  name.resolve(["127.0.0.1"]);

  assert.equal((await sent).code, "source.stopped");
  assert.equal(vendor.count(), 0);
  assert.equal(call.attempts.length, 0);
});

test("a request that nobody waits for does not end the process when it fails", async (t) => {
  const vendor = await startVendor(t, { paths: { "/reset": rawThenReset("") } });
  const { call, http } = openTestClient(t).call(vendor.origin);

  void http.get(`${vendor.origin}/reset`);

  await until(() => call.attempts.some(({ tookMs }) => tookMs !== null));
  await new Promise(setImmediate);
});

test("what is free is known before it is sent: a request that says so, and every one of a free source", async (t) => {
  const vendor = await startVendor(t);
  const door = openTestClient(t);
  const billed = door.call(vendor.origin);
  await billed.http.get(`${vendor.origin}/json`);
  await billed.http.get(`${vendor.origin}/json`, { free: true });
  const register = door.call(vendor.origin, { charge: "free" });
  await register.http.get(`${vendor.origin}/json`);

  assert.deepEqual(
    door.attempts.map(({ free }) => free),
    [false, true, true],
  );
});

test("a reply says what its request was charged, in words that there are", async (t) => {
  const vendor = await startVendor(t);
  const { call, http } = openTestClient(t).call(vendor.origin);

  const reply = await http.get(`${vendor.origin}/json`);
  reply.chargedAs("no");

  assert.equal(call.attempts[0]!.statedCharge, "no");
  assert.throws(() => reply.chargedAs("maybe" as "no"), TypeError);
  assert.equal(call.attempts[0]!.statedCharge, "no");
});
