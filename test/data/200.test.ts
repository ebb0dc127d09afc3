import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { startService } from "../rig/service.ts";
import { answers, findsNobody, neverAnswers, repeatsInputs, source, throws } from "../rig/sources.ts";

/** Each of the three ends only when all have begun: one after the other they would never end. */
let begun = 0;
let everyoneBegan: () => void;
const all = new Promise<void>((resolve) => (everyoneBegan = resolve));
const waits = (id: string) =>
  source(id, async () => {
    begun += 1;
    if (begun === 3) everyoneBegan();
    await all;
    return { begun };
  });
const slow = (id: string) =>
  source(id, async () => {
    await delay(200);
    return {};
  });
const slowIds = ["slow__a", "slow__b", "slow__c", "slow__d", "slow__e", "slow__f"];
const manyIds = Array.from({ length: 99 }, (_, index) => `many__source_${index}`);
let runs = 0;
const service = await startService(
  { after },
  {
    sources: [
      answers("acme__record", { name: "Ada" }),
      answers("acme__empty_record", {}),
      findsNobody("acme__nobody"),
      source("acme__nobody_with_reason", ({ noMatch }) => noMatch({ searched: 3 })),
      throws("acme__broken", new Error("boom")),
      answers("acme__big", { n: 1n as unknown as number }),
      answers("acme__needs_key", {}, { credentials: { type: "object", properties: { key: {} }, required: ["key"] } }),
      neverAnswers("bell__phone", { timeout_ms: 60 }),
      source("acme__counter", () => ({ runs: ++runs })),
      repeatsInputs("acme__people", "name", "city"),
      repeatsInputs("acme__numbers", "phone", "name"),
      ...["wait__one", "wait__two", "wait__three"].map(waits),
      ...slowIds.map(slow),
      ...manyIds.map((id) => answers(id, { id })),
    ],
  },
);

test("a run returns the envelope: transaction id, config, outputs, status, total time", async () => {
  const reply = await service.post("/data", { config: { sources: { acme__record: true } } });

  assert.equal(reply.statusCode, 200);
  const { transaction_id, response_time_ms, status, ...rest } = reply.json();
  assert.deepEqual(Object.keys(reply.json()), ["transaction_id", "config", "outputs", "status", "response_time_ms"]);
  assert.match(transaction_id, /^trx_[0-9a-f]{32}$/);
  assert.ok(Number.isInteger(response_time_ms));
  assert.deepEqual(rest, {
    config: { sources: { acme__record: true }, context: "dev", ...service.marks },
    outputs: { acme__record: { name: "Ada" } },
  });
  assert.deepEqual(
    { ...status.acme__record, response_time_ms: 0 },
    { success: true, message: "Record found", match: true, response_time_ms: 0 },
  );
});

test("success and match distinguish a record, no record and a failure", async () => {
  const reply = await service.run({
    acme__record: true,
    acme__empty_record: {},
    acme__nobody: true,
    acme__nobody_with_reason: true,
    acme__broken: true,
  });

  const { outputs, status } = reply.json();
  const verdicts = Object.entries<any>(status).map(([id, { success, match }]) => [id, success, match, outputs[id]]); // oxlint-disable-line typescript/no-explicit-any -- read from an answer
  assert.deepEqual(verdicts, [
    ["acme__record", true, true, { name: "Ada" }],
    ["acme__empty_record", true, true, {}],
    ["acme__nobody", true, false, {}],
    ["acme__nobody_with_reason", true, false, { searched: 3 }],
    ["acme__broken", false, false, {}],
    ["ok__echo", true, true, { ok: true }],
  ]);
});

test("each failure's message begins with the prefix of its cause", async () => {
  const { status } = (await service.run({ acme__unknown: true, acme__broken: true, acme__big: true })).json();

  assert.equal(status.acme__unknown.message, "Adapter not found for acme__unknown");
  assert.match(status.acme__broken.message, /^Adapter error: /);
  assert.match(status.acme__big.message, /^Unexpected error: /);
});

test("all sources run in parallel, and the answer waits for all of them", async () => {
  const reply = await service.run({ wait__one: true, wait__two: true, wait__three: true });

  assert.deepEqual(reply.json().outputs.wait__three, { begun: 3 });
});

test("the total time is close to the slowest source, not the sum", async () => {
  const sources = Object.fromEntries(slowIds.map((id) => [id, true]));
  const { response_time_ms, status } = (await service.run(sources)).json();

  for (const id of slowIds) assert.ok(status[id].response_time_ms >= 190);
  const sum = slowIds.reduce((total, id) => total + status[id].response_time_ms, 0);
  assert.ok(response_time_ms >= 190 && response_time_ms < sum / 2, `${response_time_ms} ms, and ${sum} ms one by one`);
});

test("a vendor that never answers costs only its own entry", async () => {
  const reply = await service.run({ acme__record: true, bell__phone: {} });

  assert.equal(reply.statusCode, 200);
  assert.deepEqual(reply.json().outputs, { acme__record: { name: "Ada" }, bell__phone: {}, ok__echo: { ok: true } });
  assert.match(reply.json().status.bell__phone.message, /^Adapter error: timed out/);
});

// A simulated call needs no credential.
if (!service.isMock)
  test("a missing credential, an unknown source, a timeout and no match are all 200", async () => {
    const reply = await service.run({ acme__needs_key: {}, acme__none: {}, bell__phone: {}, acme__nobody: {} });

    assert.equal(reply.statusCode, 200);
    const status = Object.values<{ success: boolean }>(reply.json().status);
    assert.deepEqual(
      status.map(({ success }) => success),
      [false, false, false, true, true],
    );
  });

test("every run has its own transaction id, and no run is the repetition of another", async () => {
  const body = { config: { sources: { acme__counter: true } } };
  const headers = { "Idempotency-Key": "one" };

  const replies = await Promise.all(Array.from({ length: 20 }, () => service.post("/data", body, { headers })));

  assert.equal(new Set(replies.map((reply) => reply.json().transaction_id)).size, 20);
  assert.equal(runs, 20, "sent again is run again");
});

test("one request holds the union of the fields of all its sources, and each sees only its own", async () => {
  const inputs = { name: "Ada", city: "London", phone: "+44", shoe_size: 38 };
  const { outputs } = (await service.run({ acme__people: true, acme__numbers: true }, inputs)).json();

  assert.deepEqual(outputs.acme__people.inputs, { name: "Ada", city: "London" });
  assert.deepEqual(outputs.acme__numbers.inputs, { phone: "+44", name: "Ada" });
});

test("unknown top-level fields are accepted and ignored", async () => {
  const reply = await service.post("/data", {
    config: { sources: { acme__people: true } },
    name: "Not an input",
    page: 2,
    data_func: "dfunc_none",
    idempotency_key: ["x"],
  });

  assert.deepEqual(reply.json().outputs, { acme__people: { inputs: {} } });
  assert.equal(reply.json().page, undefined);
});

test("inputs may be left out", async () => {
  const reply = await service.post("/data", { config: { sources: { acme__people: true } } });

  assert.deepEqual(reply.json().outputs.acme__people, { inputs: {} });
});

test("a hundred sources may run at once", async () => {
  const { outputs } = (await service.run(Object.fromEntries(manyIds.map((id) => [id, true])))).json();

  assert.equal(Object.keys(outputs).length, 100);
  assert.deepEqual(outputs.many__source_98, { id: "many__source_98" });
});
