import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { asksVendor, source } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

function request(service: TestService, sources: object): string {
  const body = JSON.stringify({ config: { sources } });
  return `${service.rawHead("/data")}Content-Length: ${body.length}\r\n\r\n${body}`;
}

/** The one run of a service, once it is on the ledger. */
async function recordedRun(service: TestService) {
  await until(() => service.ledgerRows().length === 1);
  return service.ledgerRows()[0]!;
}

test("a client that goes away before its body has ended starts nothing", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, { sources: [asksVendor("acme__people", vendor, "/json")], vendors: [vendor] });
  const text = request(service, { acme__people: true });
  for (const cut of [text.length - 1, text.length - 20, 30]) {
    await service.raw([text.slice(0, cut), 20, (socket) => socket.resetAndDestroy()]);
    await service.raw([text.slice(0, cut), 20, (socket) => socket.destroy()]);
  }
  assert.equal((await service.send("GET", "/status")).statusCode, 200);
  assert.equal(vendor.count(), 0);
});

test("when the client goes away, a call that was sent finishes and is recorded, and nothing new is sent", async (t) => {
  const vendor = await startVendor(t, { paths: { "/first": later(300, json({ first: true })) } });
  let second = "";
  const twice = source(
    "acme__twice",
    async ({ http }) => {
      await http.get(`${vendor.origin}/first`);
      await http.get(`${vendor.origin}/second`).catch((thrown: Error) => {
        second = thrown.message;
        throw thrown;
      });
      return {};
    },
    { origins: [vendor.origin] },
  );
  const sources = [twice, asksVendor("acme__once", vendor, "/first")];
  const service = await startService(t, { sources, vendors: [vendor] });

  await service.raw([
    request(service, { acme__twice: true, acme__once: true }),
    () => vendor.received(2),
    (socket) => socket.destroy(),
  ]);
  service.expectRunWithoutAnswer();

  const { run, calls, attempts } = await recordedRun(service);
  assert.equal(run["client_gone"], 1);
  assert.equal(second, "source.stopped");
  assert.equal(vendor.count("/second"), 0);
  assert.deepEqual(
    calls.map((call) => [call["source"], call["success"], call["fault_code"]]),
    [
      ["acme__twice", 0, "source.stopped"],
      ["acme__once", 1, null],
    ],
  );
  assert.deepEqual(
    attempts.map((attempt) => attempt["status"]),
    [200, 200],
    "what was paid for has its outcome",
  );
});

test("a client that goes away while it reads its answer changes nothing about the run", async (t) => {
  const vendor = await startVendor(t);
  const service = await startService(t, { sources: [asksVendor("acme__people", vendor, "/json")], vendors: [vendor] });
  await service.raw([request(service, { acme__people: true })], { replies: 1 });
  const { run, calls } = await recordedRun(service);
  assert.equal(run["client_gone"], 0);
  assert.equal(calls[0]!["success"], 1);
});
