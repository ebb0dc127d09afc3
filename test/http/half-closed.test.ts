import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "../rig/until.ts";
import { startService } from "../rig/service.ts";
import { asksVendor } from "../rig/sources.ts";
import { after as later, json } from "../vendor/behaviours.ts";
import { startVendor } from "../vendor/scripted-vendor.ts";

const slow = json({ slow: true });
const paths = { "/slow": later(400, slow), "/slower": later(2_000, slow) };
const vendor = await startVendor({ after }, { paths });
const sources = [
  asksVendor("acme__slow", vendor, "/slow"),
  asksVendor("acme__slower", vendor, "/slower"),
  asksVendor("acme__quick", vendor, "/json"),
];
const service = await startService({ after }, { sources, vendors: [vendor] });

function request(id: string, more = ""): string {
  const body = JSON.stringify({ config: { sources: { [id]: true } } });
  return `${service.rawHead("/data")}${more}Content-Length: ${body.length}\r\n\r\n${body}`;
}

test("a client that ends its half after its request gets the answer, and the connection is closed behind it", async () => {
  for (const id of ["acme__quick", "acme__slow"]) {
    const { replies, closed } = await service.raw([request(id), (socket) => socket.end()]);
    assert.deepEqual(
      replies.map(({ statusCode }) => statusCode),
      [200],
    );
    assert.equal(JSON.parse(replies[0]!.text).status[id].success, true);
    assert.ok(closed);
  }
});

test("so do all the requests that it had sent before", async () => {
  const many = `${request("acme__quick").repeat(60)}${request("acme__slow")}${request("acme__quick")}`;
  const { replies, closed } = await service.raw([many, (socket) => socket.end()]);
  assert.equal(replies.length, 62);
  assert.ok(closed);
});

test("a client of HTTP/1.0 is sent nothing but its answer", async () => {
  const text = request("acme__slow").replace("HTTP/1.1", "HTTP/1.0");
  const { replies, interim } = await service.raw([text, (socket) => socket.end()]);
  assert.deepEqual([replies.length, interim], [1, []]);
});

test("a client that is gone altogether is noticed while its run is under way", async () => {
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
