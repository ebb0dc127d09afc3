import assert from "node:assert/strict";
import { test } from "node:test";
import type { SourceCall } from "../../src/sdk/source.ts";
import { startService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";
import { hang, json } from "../vendor/behaviours.ts";
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
  const report = source("acme__report", run, { origins: [vendor.origin], timeout_ms: 300, charge: "per_success" });
  const service = await startService(t, { sources: [report], vendors: [vendor], workflow: { failureDetails: true } });

  const { status, transaction_id } = (await service.run({ acme__report: true })).json();

  assert.deepEqual(status.acme__report.failure, {
    kind: "pending",
    retryable: true,
    charged: "yes",
    order_id: "4711",
  });
  assert.deepEqual(
    service.ledgerRows(transaction_id).attempts.map(({ charged }) => charged),
    ["yes", "no"],
    "the order is billed, and the poll is not",
  );
  const logged = (await service.logLines()).find(({ order_id: id }) => id === "4711");
  assert.equal(logged?.["transaction_id"], transaction_id);
});
