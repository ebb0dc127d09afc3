import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { createOutboundClient } from "../outbound/http-client.ts";
import { createSimulatedClient } from "../outbound/simulated-client.ts";
import { faultOfStatus } from "../outbound/exchange/vendor-fault.ts";
import { VendorReply } from "../outbound/exchange/vendor-reply.ts";
import { makeOneCall } from "../run/one-call.ts";
import type { RunnableSource } from "../run/ports.ts";
import { compileDeclarative } from "../sources/declarative/compile-declarative.ts";
import { toRunnable } from "../sources/runnable.ts";
import { createSchemas } from "../terms/schema/author-schemas.ts";
import { systemClock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { recordCase, wordsOfRules } from "./record-case.ts";
import { renderReport, runCases } from "./run-cases.ts";
import { createSimulatedVendors } from "./simulated-vendors.ts";
import { createSkippedWait } from "./skipped-wait.ts";
import { startVendorSimulator } from "./vendor-simulator.ts";

const BUREAU = `
id: bureau__report
title: Report
inputs: {type: object, anyOf: [{required: [name]}, {required: [order_id]}], properties: {name: {type: string, minLength: 2}, order_id: {type: string}}}
resume: {step: report}
origins: [https://api.bureau.example]
timeout_ms: 60000
steps:
  - name: order
    request: {method: POST, url: 'https://api.bureau.example/orders', body: {json: {name: '{{ inputs.name }}'}}}
    match: {no_record: 'status == \`404\`'}
    order_id: body.id
  - name: report
    free: true
    request: {url: 'https://api.bureau.example/orders/{{ order_id }}'}
    poll: {until: body.state == 'done', first_after_ms: 5000, every_ms: 10000}
match: {record: body.state == 'done', no_record: status == \`404\`}
map: {score: body.score}
cases:
  - name: ready at the second look
    inputs: {name: ada}
    request: [{method: POST, path: /orders, body: {name: ada}}, {path: /orders/o-1}, {path: /orders/o-1}]
    reply: [{status: 201, body: {id: o-1}}, {body: {state: new}}, {body: {state: done, score: 7}}]
    expect: {match: true, output: {score: 7}}
  - {name: nobody, inputs: {name: bob}, reply: {status: 404}, expect: {match: false}}
  - name: never ready
    inputs: {name: cyd}
    reply: [{status: 201, body: {id: o-3}}, {body: {state: new}}]
    expect: {failure: pending}
  - name: resumed
    inputs: {order_id: o-3}
    request: {method: GET, path: /orders/o-3}
    reply: {body: {state: done, score: 9}}
    expect: {match: true, output: {score: 9}}
  - {name: too short, inputs: {name: a}, expect: {failure: input, field: name}}
`.replaceAll("\\`", "`");

const makeReply = (status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) =>
  new VendorReply(status, headers, bytes, { depthMax: 64, keysPerObjectMax: 10_000 }, null);

const runnable = (text: string): RunnableSource =>
  toRunnable(compileDeclarative(text, "bureau.yaml"), createSchemas(), "now");

async function ran(t: TestContext, text: string) {
  const parts = { door: createOutboundClient({ clock: systemClock }), clock: systemClock };
  t.after(() => parts.door.close());
  return runCases(runnable(text), parts);
}

test("a source that orders and polls passes its cases, and the failures that every vendor can have", async (t) => {
  const report = await ran(t, BUREAU);
  assert.equal(report.passed, true, renderReport(report));
});

test("a case distinguishes a request that is polled from one that is sent twice", async (t) => {
  const polledWrongly = BUREAU.replace(
    "reply: [{status: 201, body: {id: o-3}}, {body",
    "request: [{path: /orders}, {path: /orders/o-4}]\n    reply: [{status: 201, body: {id: o-3}}, {body",
  );
  const report = await ran(t, polledWrongly);
  assert.deepEqual(
    report.cases.filter(({ passed }) => !passed).map(({ name }) => name),
    ["never ready"],
  );
  const once = BUREAU.replace(/poll: .*/, "");
  assert.equal((await ran(t, once)).passed, false, "it never asks again");
});

test("a simulated call polls through the replies of its case, and one that is never ready ends as pending", async () => {
  const source = runnable(BUREAU);
  const door = createSimulatedClient({ clock: systemClock, vendors: createSimulatedVendors(systemClock, () => true) });
  const parts = { client: door, clock: systemClock, log: () => {}, wait: createSkippedWait(systemClock) };
  const asked = { source, organizationId: "org_1", context: "dev", region: "", entry: {} } as const;
  const ask = async (inputs: JsonObject) => makeOneCall({ ...asked, inputs }, parts);
  const found = await ask({ name: "ada" });
  assert.equal(found.result instanceof Fault ? found.result.code : found.result.json, '{"score":7}');
  const never = await ask({ name: "cyd" });
  assert.equal((never.result as Fault).code, "source.pending");
  assert.deepEqual(never.call.order, { id: "o-3" });
  for (const order of ["o-3", "o-8"]) {
    const { result } = await ask({ order_id: order });
    assert.equal(result instanceof Fault ? result.code : result.json, '{"score":9}', "a later run goes on with it");
  }
});

test("what was seen of a live order and its polls becomes a case, masked, that is simulated as it was seen", async (t) => {
  const source = runnable(BUREAU);
  const parts = { door: createOutboundClient({ clock: systemClock }), clock: systemClock };
  t.after(() => parts.door.close());
  const said = (status: number, body: object) => makeReply(status, {}, Buffer.from(JSON.stringify(body)));
  const seen = {
    name: "as seen",
    inputs: { name: "ada" },
    inputsArePrivate: false,
    context: "dev",
    replies: [said(201, { id: "ord-99-secret" }), said(200, { state: "new" }), said(200, { state: "done", score: 7 })],
    outcome: true,
  } as const;
  const recorded = await recordCase(source, seen, wordsOfRules(BUREAU, source), parts);
  assert.equal((recorded.reply as readonly unknown[]).length, 3);
  assert.doesNotMatch(JSON.stringify(recorded), /99-secret/);
  const never = { ...seen, replies: seen.replies.slice(0, 2), outcome: "pending" };
  assert.deepEqual((await recordCase(source, never, wordsOfRules(BUREAU, source), parts)).expect, {
    failure: "pending",
  });
});

test("on the simulator's port a poll advances", async (t) => {
  const simulator = await startVendorSimulator({
    sources: [runnable(BUREAU)],
    clock: systemClock,
    makeReply,
    faultOfStatus,
  });
  t.after(() => simulator.close());
  const vendor = `${simulator.url}/api.bureau.example`;
  const order = await fetch(`${vendor}/orders`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "ada" }),
  });
  assert.deepEqual(await order.json(), { id: "o-1" });
  const states: unknown[] = [];
  for (let look = 0; look < 2; look += 1) states.push(await (await fetch(`${vendor}/orders/o-1`)).json());
  assert.deepEqual(states, [{ state: "new" }, { state: "done", score: 7 }]);
});
