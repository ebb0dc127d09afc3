import assert from "node:assert/strict";
import { test } from "node:test";
import { faultOfStatus } from "../outbound/exchange/vendor-fault.ts";
import { VendorReply } from "../outbound/exchange/vendor-reply.ts";
import { systemClock } from "../terms/time/clock.ts";
import { runnable, written } from "../../test/rig/acme-source.ts";
import { startVendorSimulator } from "./vendor-simulator.ts";

const reading = {
  makeReply: (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) =>
    new VendorReply(status, headers, bytes, { depthMax: 64, keysPerObjectMax: 10_000 }, null),
  faultOfStatus,
};

test("the simulator simulates all vendors of a project for any client", async (t) => {
  const simulator = await startVendorSimulator({ sources: [runnable()], clock: systemClock, ...reading });
  t.after(() => simulator.close());
  assert.deepEqual(simulator.hosts, ["api.acme.example"]);
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${simulator.url}${path}`, { headers });
    return [reply.status, await reply.text()];
  };
  assert.deepEqual(await get("/"), [200, '{"vendors":["/api.acme.example"]}']);
  assert.deepEqual(await get("/api.acme.example/people/bob?born=1990-01-01"), [200, '{"id":2,"name":"Bob"}']);
  assert.deepEqual(await get("/api.acme.example/people/nobody"), [404, ""]);
  assert.equal((await get("/api.acme.example/other/a/b"))[0], 404);
  assert.equal((await get("/nowhere.example/"))[0], 404);
  for (const wrong of [
    "/people/zed",
    "/people/bob",
    "/people/bob?bron=1990-01-01",
    "/people/bob?born=1990-01-01&x=1",
  ]) {
    const [status, text] = await get(`/api.acme.example${wrong}`);
    assert.equal(status, 404, wrong);
    assert.match(String(text), /"GET \/people\/bob\?born=1990-01-01"/);
  }
  assert.equal((await get("/api.acme.example/people/bob", { "x-datarun-simulate": "vendor_5xx" }))[0], 503);
  const misspelt = await get("/api.acme.example/people/bob", { "x-datarun-simulate": "vendor_5x" });
  assert.equal(misspelt[0], 400);
  assert.match(String(misspelt[1]), /vendor_5x.*"values":\["no_record"/);
  assert.equal((await get("/api.acme.example/people/bob?born=simulate:rate_limited"))[0], 429);
  assert.deepEqual(await get("/api.acme.example/people/bob", { "x-datarun-simulate": "no_record" }), [404, ""]);
  await assert.rejects(get("/api.acme.example/people/bob", { "x-datarun-simulate": "connection_lost" }));
});

test("a simulated vendor distinguishes requests by their bodies, and checks no credential, time or nonce", async (t) => {
  const file = `id: acme__checks
title: Checks
inputs: {type: object, properties: {name: {type: string}}}
credentials: {type: object, properties: {user: {type: string}, key: {type: string}}, required: [user, key]}
origins: ['https://api.acme.example']
request:
  method: POST
  url: https://api.acme.example/accounts/{{ credentials.user }}/checks
  query: {key: '{{ credentials.key }}', t: '{{ clock.day }}', once: '{{ nonce }}'}
  body: {json: {name: '{{ inputs.name }}', sent_by: {user: '{{ credentials.user }}'}}}
match: {record: body.id, no_record: body.none}
cases:
  - {name: nobody, inputs: {name: nobody}, reply: {body: {none: true}}, expect: {match: false}}
  - {name: ada, inputs: {name: ada}, reply: {body: {id: 1}}, expect: {match: true}}
`;
  const reports = written({
    origins: ["https://poll.example"],
    cases: [
      {
        name: "waits",
        inputs: { name: "ada" },
        reply: [{ status: 202, body: {} }, { body: { state: "PENDING" } }, { body: { state: "DONE" } }],
        expect: { match: true },
      },
    ],
    run: async ({ http }) => {
      await http.post("https://poll.example/reports", { form: { who: "ada" } });
      while ((await http.get("https://poll.example/reports/1")).json().state !== "DONE");
      return { done: true };
    },
  });
  const simulator = await startVendorSimulator({ sources: [runnable(file), reports], clock: systemClock, ...reading });
  t.after(() => simulator.close());
  const post = async (path: string, body: string, type = "application/json") => {
    const reply = await fetch(`${simulator.url}${path}`, { method: "POST", body, headers: { "content-type": type } });
    return [reply.status, await reply.json()];
  };
  const mine = "/api.acme.example/accounts/me/checks?key=mine&t=20240102&once=1";
  assert.deepEqual(await post(mine, '{"sent_by": {"user": "me"}, "name": "ada"}'), [200, { id: 1 }]);
  assert.deepEqual(await post(mine, '{"name": "nobody", "sent_by": {"user": "me"}}'), [200, { none: true }]);
  for (const body of [
    '{"name": "eve", "sent_by": {"user": "me"}}',
    '{"name": "ada"}',
    '{"name": "ada", "sent_by": {"user": "me"}, "x": 1}',
    "ada",
  ])
    assert.equal((await post(mine, body))[0], 404, body);
  assert.equal(
    (await post("/api.acme.example/accounts/me/checks", '{"name": "ada", "sent_by": {"user": "me"}}'))[0],
    404,
  );
  assert.equal((await post("/poll.example/reports", "who=eve", "application/x-www-form-urlencoded"))[0], 404);
  assert.deepEqual(await post("/poll.example/reports", "who=ada", "application/x-www-form-urlencoded"), [202, {}]);
  const states = [];
  for (let count = 0; count < 4; count += 1)
    states.push(await (await fetch(`${simulator.url}/poll.example/reports/1`)).json());
  assert.deepEqual(
    states,
    ["PENDING", "DONE", "PENDING", "DONE"].map((state) => ({ state })),
  );
});
