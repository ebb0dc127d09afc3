import assert from "node:assert/strict";
import { after, test } from "node:test";
import { startService } from "../rig/service.ts";
import { answers, sendsCredential, source } from "../rig/sources.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const vendor = await startVendor({ after });
const tells = source("acme__tells", ({ context, region, transaction_id }) => ({ context, region, transaction_id }));
const service = await startService(
  { after },
  {
    sources: [tells, sendsCredential("acme__keyed", vendor, "/keyed"), answers("acme__people", { name: "Ada" })],
    vendors: [vendor],
    settings: { region: "europe" },
  },
);
const { a, operator } = service;
const masking = { token: a.token, workflow: await operator.createWorkflow(a.id, { maskCredentials: true }) };
const simulated = { token: a.token, workflow: await operator.createWorkflow(a.id, { simulated: true }) };

test("config is echoed with the default context, its unknown fields and those of its entries kept", async () => {
  const config = {
    sources: { acme__people: { note: { deep: [1, null] }, version: 2 }, acme__tells: true, acme__none: {} },
    data_func: "ignored here",
    organization_tuid: "not overwritten on /data",
    more: [true],
  };
  assert.deepEqual((await service.post("/data", { config })).json().config, { ...config, context: "dev" });
  const inProd = { ...config, context: "prod" };
  assert.deepEqual((await service.post("/data", { config: inProd })).json().config, inProd);
});

test("config, outputs and status keep the order in which sources were asked for", async () => {
  for (const ids of [
    ["acme__people", "acme__none", "acme__tells"],
    ["acme__tells", "acme__people", "acme__none"],
  ]) {
    const reply = await service.post("/data", { config: { sources: Object.fromEntries(ids.map((id) => [id, true])) } });
    // In the text itself: which order a parser gives is its own affair.
    const { text } = reply;
    for (const part of ['"sources":{', '"outputs":{', '"status":{']) {
      const places = ids.map((id) => text.indexOf(`"${id}":`, text.indexOf(part)));
      assert.deepEqual(
        places,
        places.toSorted((x, y) => x - y),
      );
    }
  }
});

test("inline credentials are echoed as they were sent", async () => {
  const credentials = { api_key: "canary-inline-echo-0123", note: "kept" };
  const { config } = (await service.run({ acme__keyed: { credentials } })).json();
  assert.deepEqual(config.sources.acme__keyed.credentials, credentials);
});

test("a workflow can have credentials masked in the echo, and in nothing else", async () => {
  const credentials = {
    api_key: "canary-inline-masked-0123",
    nested: { pin: "canary-nested-0123" },
    number: 12_345_678,
  };
  const sent = {
    acme__keyed: { credentials, note: "kept", cred_id: "" },
    acme__people: true,
    acme__none: { credentials: {} },
  };
  const reply = await service.run(sent, {}, { as: masking });
  assert.deepEqual(reply.json().config.sources, {
    acme__keyed: { credentials: { api_key: "***", nested: "***", number: "***" }, note: "kept", cred_id: "" },
    acme__people: true,
    acme__none: { credentials: {} },
    ok__echo: true,
  });
  assert.ok(!reply.text.includes("canary"));
  assert.equal(reply.json().status.acme__keyed.success, true, "the vendor got the real one");
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], credentials.api_key);
});

test("a stored credential is in no part of the answer", async () => {
  const key = "canary-stored-echo-0123456789";
  const credId = await operator.storeCredential(a, { source: "acme__keyed", fields: { api_key: key } });
  const reply = await service.run({ acme__keyed: { cred_id: credId } });
  assert.equal(vendor.requests.at(-1)!.headers["x-api-key"], key);
  assert.ok(!reply.text.includes(key));
});

test("the access token and workflow of the body are not echoed", async () => {
  const body = { access_token: a.token, workflow: a.workflow, config: { sources: { acme__people: true } } };
  const reply = await service.post("/data", body, { as: null });
  assert.equal(reply.statusCode, 200);
  assert.ok(!reply.text.includes(a.workflow));
});

test("context is one of prod, test and dev, and dev when none is sent; adapters, log and ledger get it", async () => {
  for (const context of ["prod", "test", "dev", undefined]) {
    const reply = await service.run({ acme__tells: true }, {}, { config: context === undefined ? {} : { context } });
    const expected = context ?? "dev";
    const { transaction_id, config, outputs } = reply.json();
    assert.equal(config.context, expected);
    assert.deepEqual(outputs.acme__tells, { context: expected, region: "europe", transaction_id });
    assert.equal(service.ledgerRows(transaction_id).run["context"], expected);
    const line = (await service.runLines()).find((line) => line["transaction_id"] === transaction_id)!;
    assert.equal(line["context"], expected);
  }
});

test("the region of the deployment is on every log line and ledger row", async () => {
  const { transaction_id } = (await service.run({ acme__people: true })).json();
  assert.equal(service.ledgerRows(transaction_id).run["region"], "europe");
  assert.ok((await service.runLines()).every((line) => line["region"] === "europe"));
});

test("a simulated workflow refuses prod, and marks its answers", async () => {
  for (const path of ["/data", "/func"] as const) {
    const config = { sources: { acme__people: true }, context: "prod" };
    const refused = await service.post(path, { config }, { as: simulated });
    assert.equal(refused.statusCode, 422);
    assert.deepEqual(
      refused.json().error.details.map((problem: { path: string }) => problem.path),
      ["/config/context"],
    );
    const marked = await service.post(
      path,
      { config: { ...config, context: "test", mode: "real" } },
      { as: simulated },
    );
    assert.equal(marked.json().config.mode, "simulated", "whatever the client says");
  }
  for (const mode of ["simulated", "real", null]) {
    const real = await service.run({ acme__people: true }, {}, { config: { mode } });
    assert.equal("mode" in real.json().config, false, "nor can a client call a real answer simulated");
  }
});

test("no call of a simulated workflow reaches the vendor", async () => {
  const before = vendor.count();
  const sources = { acme__keyed: { credentials: { api_key: "canary-simulated-0123" } } };
  assert.equal((await service.run(sources, {}, { as: simulated })).statusCode, 200);
  assert.equal(vendor.count(), before);
});

test("a run is one row and one line: who, with what, from whom, and how it ended", async () => {
  const secretInput = service.secrets.add("canary-ssn-078-05-1120");
  const reply = await service.run({ acme__people: true, acme__none: true }, { ssn: secretInput, name: secretInput });
  const { transaction_id } = reply.json();
  const { run, calls } = service.ledgerRows(transaction_id);
  const who = [run["organization_id"], run["workflow_id"], run["token_id"], run["kind"], run["client_gone"]];
  assert.deepEqual(who, [a.id, a.workflow, a.tokenId, "data", 0]);
  const ended = calls.map((call) => [
    call["source"],
    call["success"],
    call["match"],
    call["fault_kind"],
    call["charged"],
  ]);
  assert.deepEqual(ended, [
    ["acme__people", 1, 1, null, "no"],
    ["ok__echo", 1, 1, null, "no"],
  ]);
  assert.deepEqual([run["unknown_sources"], run["unknown_source_names"]], [1, '["acme__none"]']);
  const lines = (await service.runLines()).filter((line) => line["transaction_id"] === transaction_id);
  assert.equal(lines.length, 1);
  assert.deepEqual(
    [lines[0]!["organization"], lines[0]!["workflow"], lines[0]!["token_id"]],
    [a.id, a.workflow, a.tokenId],
  );
});
