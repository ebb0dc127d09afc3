import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test, type TestContext } from "node:test";
import type { SourceCall } from "../../src/sdk/source.ts";
import { compileDeclarative } from "../../src/sources/declarative/compile-declarative.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { type Behaviour, hang, inTurn, json, STANDARD } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

test("a report that is not ready in time is pending, with the order's number for a later run and in the log", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/orders", json({ id: 4711 }, { status: 201 })).on("/orders/4711", hang);
  const run = async ({ http, ordered, wait }: SourceCall) => {
    const { id } = (await http.post(`${vendor.origin}/orders`)).json();
    ordered(id);
    await wait(1);
    return (await http.get(`${vendor.origin}/orders/${id}`, { free: true })).json();
  };
  const report = source("acme__report", run, {
    inputs: { type: "object", properties: { order_id: { type: "string" } } },
    resume: { input: "order_id" },
    origins: [vendor.origin],
    timeout_ms: 1_000,
    charge: "per_success",
  });
  const service = await startService(t, { sources: [report], vendors: [vendor] });

  const { status, transaction_id } = (await service.run({ acme__report: true })).json();

  assert.deepEqual(status.acme__report.failure, {
    kind: "pending",
    retryable: false,
    charged: "yes",
    order_id: "4711",
    resumable: true,
  });
  assert.deepEqual(
    service.ledgerRows(transaction_id).attempts.map(({ charged }) => charged),
    ["yes", "no"],
    "the order is billed, and the poll is not",
  );
  const logged = (await service.logLines()).find(({ order_id: id }) => id === "4711");
  assert.equal(logged?.["transaction_id"], transaction_id);
});

// ---- the catalog's bureau, at a vendor that counts its orders ----------------------------------------------------------

const BUREAU = readFileSync(
  new URL("../../catalog/sources/example_bureau/company_report.yaml", import.meta.url),
  "utf8",
);
const ID = "example_bureau__company_report";
const CREDENTIALS = { client_id: "example-client", client_secret: "s3cret-of-the-bureau" };
const READY = { state: "ready", order: "o-1", company: { number: "00000001" }, score: 72, as_of: "2026-03-01" };
const WORKING = json({ order: "o-1", state: "in_progress" });

/** The catalog's file as it stands, but for where its bureau is and how long it waits. */
async function startBureau(t: TestContext, orders: Behaviour, looks: Behaviour) {
  const vendor = await startVendor(t);
  vendor
    .on("/oauth/token", json({ access_token: "t-1" }))
    .on("/v1/orders", orders)
    .on("/v1/orders/o-1", looks);
  const file = BUREAU.replaceAll("https://reports.bureau.example", vendor.origin)
    .replace("first_after_ms: 1000", "first_after_ms: 1")
    .replace("every_ms: 1000", "every_ms: 50")
    .replace("max_polls: 20", "max_polls: 4");
  const service = await startService(t, {
    sources: [compileDeclarative(file, "company_report.yaml")],
    vendors: [vendor],
  });
  const ask = async (inputs: object) => {
    const reply = (await service.run({ [ID]: { credentials: CREDENTIALS } }, inputs)).json();
    const { attempts } = service.ledgerRows(reply.transaction_id);
    const charges = attempts.map(({ method, charged }) => `${String(method)} ${String(charged)}`);
    return { status: reply.status[ID], output: reply.outputs[ID], charges };
  };
  return { vendor, ask };
}

test("a report that takes longer than a run is two runs, one order and one bill", async (t) => {
  const looks = inTurn(WORKING, WORKING, WORKING, WORKING, json(READY));
  const { vendor, ask } = await startBureau(t, json({ order: "o-1" }, { status: 202 }), looks);

  const first = await ask({ company_number: "00000001" });
  assert.deepEqual(first.status.failure, {
    kind: "pending",
    retryable: false,
    charged: "yes",
    order_id: "o-1",
    resumable: true,
  });
  assert.deepEqual(first.charges, ["POST no", "POST yes", "GET no", "GET no", "GET no", "GET no"]);

  const later = await ask({ order_id: first.status.failure.order_id });
  assert.equal(later.output.score, 72);
  assert.deepEqual(later.charges, ["GET no"], "one free look");
  assert.equal(vendor.count("/v1/orders"), 1);
});

test("an order that was lost on the way is not sent again, and nobody can know whether it is billed", async (t) => {
  const { vendor, ask } = await startBureau(t, STANDARD["close-before-headers"]!(""), WORKING);
  const { status, charges } = await ask({ company_number: "00000001" });
  assert.deepEqual(status.failure, { kind: "connection_lost", retryable: false, charged: "unknown" });
  assert.deepEqual([charges, vendor.count("/v1/orders")], [["POST no", "POST unknown"], 1]);
});

test("one look that is answered 500, or not at all, is followed by the next", async (t) => {
  const looks = inTurn(json({}, { status: 500 }), STANDARD["close-before-headers"]!(""), json(READY));
  const { vendor, ask } = await startBureau(t, json({ order: "o-1" }, { status: 202 }), looks);
  const { output, charges } = await ask({ company_number: "00000001" });
  assert.equal(output.score, 72);
  assert.deepEqual(charges, ["POST no", "POST yes", "GET no", "GET no", "GET no"]);
  assert.equal(vendor.count("/v1/orders"), 1);
});

test("looks that go on failing name the order, which stays billed", async (t) => {
  const { vendor, ask } = await startBureau(t, json({ order: "o-1" }, { status: 202 }), json({}, { status: 500 }));
  const { status, charges } = await ask({ company_number: "00000001" });
  assert.deepEqual(status.failure, {
    kind: "vendor_5xx",
    retryable: false,
    charged: "yes",
    order_id: "o-1",
    resumable: true,
  });
  assert.deepEqual(charges, ["POST no", "POST yes", "GET no", "GET no", "GET no"]);
  assert.equal(vendor.count("/v1/orders"), 1);
});

test("a Retry-After beyond the deadline ends the run at once, and the order is kept", async (t) => {
  const looks = json({}, { status: 429, headers: { "retry-after": "600" } });
  const { ask } = await startBureau(t, json({ order: "o-1" }, { status: 202 }), looks);
  const { status, charges } = await ask({ company_number: "00000001" });
  assert.deepEqual([status.failure.kind, status.failure.order_id], ["pending", "o-1"]);
  assert.deepEqual(charges, ["POST no", "POST yes", "GET no"]);
});

test("a duplicate is waited for where the bureau names the first order, refused where not, and billed in neither case", async (t) => {
  const orders = inTurn(json({ order: "o-1" }, { status: 409 }), json({}, { status: 409 }));
  const { ask } = await startBureau(t, orders, json(READY));
  const waited = await ask({ company_number: "00000001" });
  assert.deepEqual([waited.output.order_id, waited.charges], ["o-1", ["POST no", "POST no", "GET no"]]);
  const refused = await ask({ company_number: "00000001" });
  assert.deepEqual(refused.status.failure, { kind: "vendor_4xx", retryable: false, charged: "no" });
});

test("what a bureau gives up, or has lost, is charged as the file says", async (t) => {
  const looks = inTurn(json({ state: "failed" }), json({}, { status: 404 }));
  const { ask } = await startBureau(t, json({ order: "o-1" }, { status: 202 }), looks);
  const givenUp = await ask({ company_number: "00000001" });
  assert.deepEqual(givenUp.status.failure, {
    kind: "vendor_5xx",
    retryable: false,
    charged: "no",
    order_id: "o-1",
    resumable: true,
  });
  const lost = await ask({ company_number: "00000001" });
  assert.deepEqual(lost.status.failure, {
    kind: "input",
    retryable: false,
    charged: "unknown",
    order_id: "o-1",
    resumable: true,
  });
});

test("without a number of its own, what a later step polls for is an order too: once it was sent, it is not repeated", async (t) => {
  const vendor = await startVendor(t);
  vendor.on("/search", json({}, { status: 503 })).on("/reports", inTurn(json({}, { status: 503 }), json({})));
  vendor.on("/reports/latest", json({ state: "in_progress" }));
  const declare = (id: string, first: string) =>
    compileDeclarative(
      `id: ${id}
title: Report
inputs: {type: object}
origins: ['${vendor.origin}']
steps:
  - {name: search, free: true, request: {url: '${vendor.origin}${first}'}}
  - {name: start, request: {method: POST, url: '${vendor.origin}/reports'}}
  - name: report
    free: true
    request: {url: '${vendor.origin}/reports/latest'}
    poll: {until: body.state == 'ready', every_ms: 50, max_polls: 2}
match: {record: body.state == 'ready', no_record: body.state == 'none'}
`,
      `${id}.yaml`,
    );
  const sources = [declare("acme__down", "/search"), declare("acme__up", "/json")];
  const service = await startService(t, { sources, vendors: [vendor] });
  const failureOf = async (id: string) => (await service.run({ [id]: true })).json().status[id].failure;

  assert.deepEqual(await failureOf("acme__down"), { kind: "vendor_5xx", retryable: true, charged: "no" });
  assert.equal(vendor.count("/reports"), 0);
  assert.deepEqual(await failureOf("acme__up"), { kind: "vendor_5xx", retryable: false, charged: "unknown" });
  assert.deepEqual(await failureOf("acme__up"), { kind: "pending", retryable: false, charged: "yes" });
});
