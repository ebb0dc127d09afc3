import assert from "node:assert/strict";
import { after, test } from "node:test";
import { NAUGHTY_STRINGS } from "../rig/naughty-strings.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

let ran = 0;
const service = await startService({ after }, { sources: [source("acme__people", () => ({ ran: ++ran }))] });

test("a missing, null or empty identifier runs nothing and returns empty outputs and status", async () => {
  const sources = { acme__people: true };
  for (const config of [{}, { data_func: null }, { data_func: "" }, { sources }, { data_func: "", sources }]) {
    for (const passthrough of [false, true]) {
      const reply = await service.post("/func", { config: { ...config, datafunc_response_passthrough: passthrough } });
      assert.equal(reply.statusCode, 200);
      const body = reply.json();
      assert.deepEqual(Object.keys(body), ["transaction_id", "config", "outputs", "status", "response_time_ms"]);
      assert.match(body.transaction_id, /^trx_/);
      assert.deepEqual([body.outputs, body.status, body.config.context], [{}, {}, "dev"]);
    }
  }
  assert.equal(ran, 0, "sources are for the function to call");
});

test("config is returned with its defaults applied, and with what was sent kept", async () => {
  const bare = await service.post("/func", { config: {} });
  assert.deepEqual(bare.json().config, {
    context: "dev",
    sources: {},
    data_func: null,
    datafunc_response_passthrough: false,
    organization_tuid: service.a.id,
    ...service.marks,
  });

  const sent = { context: "test", sources: { a__b: true, c__d: { note: [1] } }, data_func: "", more: { kept: true } };
  const echoed = (await service.post("/func", { config: sent })).json().config;
  assert.deepEqual(echoed, {
    ...sent,
    datafunc_response_passthrough: false,
    organization_tuid: service.a.id,
    ...service.marks,
  });
});

test("organization_tuid is the token's organization, whatever the client sends", async () => {
  for (const sent of [service.b.id, null, 1, { a: 1 }, ""]) {
    const config = { organization_tuid: sent, data_func: "dfunc_none" };
    for (const as of [service.a, service.b]) {
      const reply = await service.post("/func", { config }, { as });
      assert.equal(reply.json().config.organization_tuid, as.id);
    }
  }
});

test("an unknown function is 200 with exactly one failed entry under its identifier", async () => {
  const { outputs, status, config } = (await service.post("/func", { config: { data_func: "dfunc_none" } })).json();

  assert.deepEqual(outputs, { dfunc_none: { output: {}, pipes: {} } });
  assert.deepEqual(Object.keys(status), ["dfunc_none"]);
  assert.deepEqual(
    Object.keys(status.dfunc_none),
    ["success", "message", "response_time_ms", "failure"],
    "there is no match",
  );
  assert.equal(status.dfunc_none.success, false);
  assert.equal(status.dfunc_none.message, "Data function not found: dfunc_none");
  assert.equal(config.data_func, "dfunc_none");
});

test("an unknown function in passthrough mode is 200 with the fixed shape", async () => {
  const config = { data_func: "dfunc_none", datafunc_response_passthrough: true };
  const body = (await service.post("/func", { config })).json();

  const { mode: _, ...own } = body;
  assert.deepEqual(Object.keys(own), ["transaction_id", "output", "pipes", "response_time_ms"]);
  assert.match(body.transaction_id, /^trx_/);
  assert.deepEqual([body.output, body.pipes], [{}, {}]);
  assert.ok(Number.isInteger(body.response_time_ms));
});

// The log of a mock has no lines of runs.
if (!service.isMock)
  test("strange strings as function identifier are unknown functions, returned as they were sent", async () => {
    const names = NAUGHTY_STRINGS.filter((text) => text.length <= 128);
    const linesBefore = (await service.runLines()).length;
    for (const name of names) {
      const { status, outputs, config } = (await service.post("/func", { config: { data_func: name } })).json();
      assert.deepEqual([Object.keys(status), Object.keys(outputs), config.data_func], [[name], [name], name]);
      assert.equal(status[name].success, false);
    }
    assert.equal((await service.runLines()).length - linesBefore, names.length, "one line of the log a run");
  });

// A mock has no ledger.
if (!service.isMock)
  test("a function run is on the ledger with its function and the fault it ended with", async () => {
    const { transaction_id } = (
      await service.post("/func", { config: { data_func: "dfunc_none", context: "test" } })
    ).json();

    const { run, calls } = service.ledgerRows(transaction_id);
    assert.deepEqual(
      [run["kind"], run["function_id"], run["function_fault"], run["context"], run["organization_id"]],
      ["func", "dfunc_none", "function.unknown", "test", service.a.id],
    );
    assert.deepEqual(calls, []);
  });

test("extra top-level fields are accepted", async () => {
  const reply = await service.post("/func", { config: {}, inputs: { any: [1, { deep: true }] }, page: 2, extra: null });
  assert.equal(reply.statusCode, 200);
});
