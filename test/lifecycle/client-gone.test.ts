import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, body, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

function request(service: TestService, sources: object): string {
  const text = JSON.stringify({ config: { sources } });
  return `${service.rawHead("/data")}Content-Length: ${text.length}\r\n\r\n${text}`;
}

test("a call that still waits for a connection when its client goes away is never sent", async (t) => {
  const vendor = await startVendor(t, { paths: { "/first": later(300, json({ first: true })) } });
  const service = await startService(t, {
    sources: [asksVendor("acme__first", vendor, "/first"), asksVendor("acme__second", vendor, "/second")],
    settings: { "limits.vendor_connections": 1 },
    vendors: [vendor],
  });
  const first = service.run({ acme__first: true });
  await vendor.received(1);
  await service.raw([request(service, { acme__second: true }), 60, (socket) => socket.destroy()]);
  assert.equal((await first).statusCode, 200);

  service.expectRunWithoutAnswer();
  await until(() => service.ledgerRows().length === 2);
  const gone = service.ledgerRows().find(({ run }) => run["client_gone"] === 1)!;
  assert.equal(vendor.count("/second"), 0);
  assert.deepEqual(gone.attempts, []);
  assert.equal(gone.calls[0]!["charged"], "no");
});

test("a client that goes away while it reads its answer has its run on the ledger, as ended", async (t) => {
  const large = body(JSON.stringify({ text: "x".repeat(4_000_000) }));
  const vendor = await startVendor(t, { paths: { "/large": large } });
  const service = await startService(t, {
    sources: [asksVendor("acme__large", vendor, "/large")],
    vendors: [vendor],
    settings: { "limits.expert.reply_decoded_bytes": 5_000_000 },
  });
  await service.raw([
    request(service, { acme__large: true }),
    (socket) => new Promise((resolve) => socket.once("data", resolve)),
    (socket) => socket.destroy(),
  ]);
  service.expectRunWithoutAnswer();
  await until(() => service.ledgerRows().length === 1);
  const { run, calls } = service.ledgerRows()[0]!;
  assert.deepEqual([run["state"], calls[0]!["success"], calls[0]!["charged"]], ["ended", 1, "yes"]);
  assert.equal((await service.run({})).statusCode, 200);
});
