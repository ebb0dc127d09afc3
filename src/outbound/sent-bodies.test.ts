import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { test, type TestContext } from "node:test";
import { until } from "../../test/rig/until.ts";
import { head, json, raw } from "../../test/vendor/behaviours.ts";
import { startVendor } from "../../test/vendor/scripted-vendor.ts";
import { ByteBudget } from "../terms/concurrency/byte-budget.ts";
import { codeOf, openTestClient } from "./http-client.kit.ts";

const KIB = 1024;
/** More than the kernel buffers for a connection whose other side does not read. */
const LARGE = "x".repeat(8 * KIB * KIB);
const TAKEN = "x".repeat(256 * KIB);

function heldOf(bytesMax: number) {
  return new ByteBudget(bytesMax).open("org_1");
}

/** A vendor that reads nothing. Each of its connections is passed to `act`. */
async function startUnread(t: TestContext, act: (socket: Socket) => void = () => {}) {
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: true }, (socket) => {
    socket.on("error", () => {});
    sockets.push(socket);
    act(socket);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const { port } = server.address() as { port: number };
  return { origin: `http://127.0.0.1:${port}`, sockets };
}

test("a request is counted before it waits for anything, and one that does not fit into memory is not sent", async (t) => {
  const vendor = await startVendor(t);
  const held = heldOf(1024 * KIB);
  const { http, call } = openTestClient(t).call(vendor.origin, { memory: held });

  for (const options of [
    { body: "x".repeat(100 * KIB) },
    { body: Buffer.alloc(100 * KIB) },
    { json: "x".repeat(100 * KIB) },
    { form: { text: "x".repeat(100 * KIB) } },
    // A string of which one character needs two bytes takes two for all of them.
    { body: `\u2026${"x".repeat(50 * KIB)}` },
  ]) {
    const before = held.bytes;
    const sent = http.post(vendor.origin, options);
    const counted = held.bytes - before;
    assert.ok(counted >= 100 * KIB && counted <= 120 * KIB, `${counted}`);
    await sent;
  }
  assert.equal(held.bytes, call.reservedBytes);
  const asked = vendor.count();
  assert.equal(await codeOf(http.post(vendor.origin, { body: "x".repeat(1024 * KIB) })), "source.no_room");
  assert.equal(vendor.count(), asked, "nothing was sent");
});

test("path and fields of a request count as well", async (t) => {
  const vendor = await startVendor(t, { paths: { "/": raw("") } });
  const held = heldOf(1024 * KIB);
  const { http } = openTestClient(t).call(vendor.origin, { memory: held });
  const query = { a: "x".repeat(6 * KIB) };

  const before = held.bytes;
  void http.get(vendor.origin, { query });
  const without = held.bytes - before;
  void http.get(vendor.origin, { query, headers: { "x-key": "k".repeat(8 * KIB) } });
  assert.ok(without > 12 * KIB, `${without}`);
  assert.ok(held.bytes - before - without >= without + 8 * KIB, `${held.bytes}`);
});

test("when a request has ended, however it ended, it is counted no longer", async (t) => {
  const vendor = await startVendor(t, { paths: { "/ok": json({}), "/500": json({}, { status: 500 }) } });
  const held = heldOf(8 * 1024 * KIB);
  const { http, call } = openTestClient(t, { limits: { connectMaxMs: 200 } }).call(
    [vendor.origin, "http://127.0.0.1:1"],
    {
      memory: held,
    },
  );
  const body = "x".repeat(32 * KIB);

  await http.post(`${vendor.origin}/ok`, { body });
  await assert.rejects(http.post(`${vendor.origin}/500`, { body }));
  await assert.rejects(http.post("http://127.0.0.1:1/", { body }));
  call.reserve = () => Promise.reject(new Error("no budget"));
  await assert.rejects(http.post(`${vendor.origin}/ok`, { body }));
  call.reserve = () => {
    throw new Error("no budget");
  };
  await assert.rejects(http.post(`${vendor.origin}/ok`, { body }));
  assert.ok(held.bytes < 1 * KIB, `${held.bytes}`);
});

test("a body that its vendor has taken is counted no longer, although the answer is still to come", async (t) => {
  const vendor = await startVendor(t, { paths: { "/hang": raw(""), "/": raw("") } });
  const unread = await startUnread(t);
  const held = heldOf(64 * 1024 * KIB);
  const { http } = openTestClient(t).call([vendor.origin, unread.origin], { memory: held });

  void http.post(`${vendor.origin}/hang`, { body: TAKEN });
  assert.ok(held.bytes > TAKEN.length);
  await until(() => held.bytes < 100 * KIB);
  void http.post(unread.origin, { body: LARGE });
  await until(() => unread.sockets.length === 1);
  await new Promise((resolve) => setTimeout(resolve, 100));
  assert.ok(held.bytes > LARGE.length, "not taken");
});

test("a body that may have to follow a redirect stays counted until the answer", async (t) => {
  const vendor = await startVendor(t, { paths: { "/": raw("") } });
  const held = heldOf(64 * 1024 * KIB);
  const { http } = openTestClient(t).call(vendor.origin, { memory: held });

  void http.post(vendor.origin, { body: TAKEN, redirects: 1 });
  await vendor.received(1);
  assert.ok(held.bytes > TAKEN.length);
});

for (const [what, status] of [
  ["an answer", 200],
  ["a failure", 500],
] as const)
  test(`${what} that comes before its request was taken closes the connection, so that nothing of the request is kept`, async (t) => {
    const reply = head(status, { "content-length": "2", "content-type": "application/json" });
    const unread = await startUnread(t, (socket) => socket.write(status === 200 ? `${reply}{}` : reply));
    const held = heldOf(64 * 1024 * KIB);
    const { http } = openTestClient(t).call(unread.origin, { memory: held });

    await http.post(unread.origin, { body: LARGE }).catch(() => {});
    const [socket] = unread.sockets;
    socket!.resume();
    await until(() => socket!.destroyed || socket!.readableEnded);
    assert.ok(held.bytes < 100 * KIB, `${held.bytes}`);
    assert.ok(socket!.bytesRead < LARGE.length, "the rest was never sent");
  });
