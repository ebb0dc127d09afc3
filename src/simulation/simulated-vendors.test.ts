import assert from "node:assert/strict";
import { test } from "node:test";
import { createSimulatedClient } from "../outbound/simulated-client.ts";
import { makeCall } from "../run/call.kit.ts";
import type { HttpOptions } from "../sdk/http.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { asFault } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { ACME, runnable } from "../../test/rig/acme-source.ts";
import { createSimulatedVendors } from "./simulated-vendors.ts";

const isSource = (id: string) => ["acme__people", "bell__phone"].includes(id);

function simulate(inputs: JsonObject, clock = new FakeClock(), source = runnable()) {
  const door = createSimulatedClient({ clock, vendors: createSimulatedVendors(clock, isSource) });
  const call = makeCall({ id: source.id, rawInputs: inputs, startedAt: clock.now() });
  call.takeInputs(source.filter(inputs));
  const http = door.httpFor(source, call);
  const options: HttpOptions = { answers: [404] };
  const reply = http
    .get("https://api.acme.example/people/x", options)
    .then((answer) => ({
      status: answer.status,
      body: answer.bytes().length === 0 ? null : (answer.json() as unknown),
    }))
    .catch((thrown: unknown) => ({ fault: asFault(thrown, "source.adapter_raised").code }));
  return { reply, call, clock };
}

test("a simulated call is answered by the case with its inputs", async () => {
  assert.deepEqual(await simulate({ name: "bob", born: "1990-01-01" }).reply, {
    status: 200,
    body: { id: 2, name: "Bob" },
  });
  assert.deepEqual(await simulate({ name: "nobody", more: 1 }).reply, { status: 404, body: null });
});

test("of several cases with the same inputs the one that shows no failure answers", async () => {
  const first = "cases:\n  - {name: refused, inputs: {name: ada}, reply: {status: 401}, expect: {failure: credential}}";
  assert.deepEqual(await simulate({ name: "ada" }, new FakeClock(), runnable(ACME.replace("cases:", first))).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
});

test("inputs of no case get the record of the case that shares most of them", async () => {
  assert.deepEqual(await simulate({ name: "zed" }).reply, { status: 200, body: { id: 1, name: "Ada" } });
  assert.deepEqual(await simulate({ name: "zed", born: "1990-01-01" }).reply, {
    status: 200,
    body: { id: 2, name: "Bob" },
  });
});

test("magic inputs make the vendor misbehave, named at the top, for one source, or as a value", async () => {
  const failures = {
    vendor_5xx: "source.vendor_5xx",
    vendor_4xx: "source.vendor_4xx",
    rate_limited: "source.rate_limited",
    credential: "source.credential_rejected",
    malformed: "source.contract",
    connection_lost: "source.connection_lost",
  };
  for (const [magic, code] of Object.entries(failures)) {
    assert.deepEqual(await simulate({ name: "ada", simulate: magic }).reply, { fault: code });
    assert.deepEqual(await simulate({ name: "ada", simulate: { acme__people: magic } }).reply, { fault: code });
    assert.deepEqual(await simulate({ name: `simulate:${magic}` }).reply, { fault: code });
  }
  assert.deepEqual(await simulate({ name: "ada", simulate: { bell__phone: "timeout" } }).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
  for (const wrong of ["no_recrd", "", 1, true, { acme__people: "no_recrd" }])
    assert.deepEqual(await simulate({ name: "ada", simulate: wrong }).reply, { fault: "source.input_invalid" });
  for (const wrong of [{ acme__peple: "timeout" }, { acme__people: "slow", nobody__at_all: "slow" }, { "": "slow" }])
    assert.deepEqual(await simulate({ name: "ada", simulate: wrong }).reply, { fault: "source.input_invalid" });
  assert.deepEqual(await simulate({ name: "simulate:timeot" }).reply, { fault: "source.input_invalid" });
  assert.deepEqual(await simulate({ name: "ada", simulate: null }).reply, {
    status: 200,
    body: { id: 1, name: "Ada" },
  });
  assert.deepEqual(await simulate({ name: "ada", simulate: "no_record" }).reply, { status: 404, body: null });
});

test("a simulated vendor that never answers costs its deadline, and a slow one two seconds", async () => {
  const hung = simulate({ name: "ada", simulate: "timeout" });
  await hung.clock.advance(10_000);
  assert.deepEqual(await hung.reply, { fault: "source.timeout" });
  const slow = simulate({ name: "ada", simulate: "slow" });
  let settled = false;
  void slow.reply.then(() => (settled = true));
  await slow.clock.advance(1_999);
  assert.equal(settled, false);
  await slow.clock.advance(1);
  assert.deepEqual(await slow.reply, { status: 200, body: { id: 1, name: "Ada" } });
});

test("a source without cases cannot be simulated, and says so", async () => {
  const bare = runnable(ACME.slice(0, ACME.indexOf("cases:")));
  assert.deepEqual(await simulate({ name: "ada" }, new FakeClock(), bare).reply, { fault: "source.contract" });
});

test("a call that has ended, and an origin that is not declared, reach no simulated vendor either", async () => {
  const clock = new FakeClock();
  const door = createSimulatedClient({ clock, vendors: createSimulatedVendors(clock, isSource) });
  const source = runnable();
  const call = makeCall({ startedAt: clock.now() });
  call.end();
  await assert.rejects(door.httpFor(source, call).get("https://api.acme.example/"), { code: "source.stopped" });
  const other = door.httpFor(source, makeCall({ startedAt: clock.now() }));
  await assert.rejects(other.get("https://evil.example/"), { code: "source.adapter_raised" });
});
