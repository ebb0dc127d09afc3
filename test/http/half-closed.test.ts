import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../rig/until.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const paths = { "/slower": later(2_000, json({ slow: true })) };
const vendor = await startVendor({ after }, { paths });
const sources = [asksVendor("acme__slower", vendor, "/slower"), asksVendor("acme__quick", vendor, "/json")];
const service = await startService({ after }, { sources, vendors: [vendor] });

function request(id: string): string {
  const body = JSON.stringify({ config: { sources: { [id]: true } } });
  return `${service.rawHead("/data")}Content-Length: ${body.length}\r\n\r\n${body}`;
}

test("a client that ends its half gets the answers that are ready, and its connection is closed", async () => {
  const status = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n";
  const { replies, closed } = await service.raw([status, (socket) => socket.end()]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [200],
  );
  assert.ok(closed);
});

test("a client that has disconnected is noticed while its run is in progress", async () => {
  const before = service.ledgerRows().length;
  const count = vendor.count();
  // Slow enough for a busy machine to notice in time.
  await service.raw([request("acme__slower"), () => vendor.received(count + 1), (socket) => socket.destroy()]);
  service.expectRunWithoutAnswer();
  await until(() => service.ledgerRows().length === before + 1);
  assert.equal(service.ledgerRows().at(-1)!.run["client_gone"], 1);
});

test("an end before the request is whole is no request", async () => {
  const count = vendor.count();
  const { replies, closed } = await service.raw([request("acme__quick").slice(0, -3), (socket) => socket.end()]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [400],
  );
  assert.ok(closed);
  assert.equal(vendor.count(), count);
});
