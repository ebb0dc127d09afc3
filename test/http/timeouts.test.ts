import assert from "node:assert/strict";
import { after, test } from "node:test";
import { heldBytes } from "../rig/held-bytes.ts";
import { until } from "../rig/until.ts";
import { startService } from "../rig/service.ts";
import { answers, source } from "../rig/sources.ts";

const MIB = 1024 * 1024;
let ran = 0;
const service = await startService(
  { after },
  {
    sources: [
      source("acme__counter", () => ({ ran: ++ran })),
      answers("acme__large", { filler: "x".repeat(9 * MIB) }),
      answers("acme__larger", { filler: "x".repeat(9 * MIB) }),
    ],
    settings: {
      "limits.expert.request_timeout_ms": 600,
      "limits.expert.write_timeout_ms": 300,
      "limits.keep_alive_ms": 200,
    },
  },
);

test("headers that do not arrive in time are 408, and the connection closed", async () => {
  const { replies, closed } = await service.raw(["POST /data HTTP/1.1\r\nHost: test\r\n"]);
  assert.deepEqual(
    replies.map(({ statusCode }) => statusCode),
    [408],
  );
  assert.equal(JSON.parse(replies[0]!.text).error.code, "timeout");
  assert.ok(closed);
});

test("headers that come a byte at a time are cut off at the same limit", async () => {
  const drip = Array.from({ length: 200 }, () => ["x", 25]).flat();
  const { closed } = await service.raw(["POST /data HTTP/1.1\r\nX-Drip: ", ...drip]);
  assert.ok(closed);
});

test("a body that does not arrive in time is 408 or a closed connection, and nothing runs", async () => {
  const drip = Array.from({ length: 200 }, () => [" ", 25]).flat();
  const { replies, closed } = await service.raw([`${service.rawHead("/data")}Content-Length: 5000\r\n\r\n{`, ...drip]);
  assert.ok(replies.every(({ statusCode }) => statusCode === 408));
  assert.ok(closed);
  assert.equal(ran, 0);
});

test("an idle connection is closed after its time", async () => {
  const { replies, closed } = await service.raw(["GET /status HTTP/1.1\r\nHost: test\r\n\r\n"]);
  assert.equal(replies.length, 1);
  assert.ok(closed);
});

test("a client that does not read its answer is cut off, and its run is recorded", async () => {
  const body = JSON.stringify({ config: { sources: { acme__large: true, acme__larger: true } } });
  const before = service.ledgerRows().length;
  const { replies, closed } = await service.raw([
    `${service.rawHead("/data")}Content-Length: ${body.length}\r\n\r\n${body}`,
    (socket) => socket.pause(),
    2500,
    (socket) => socket.resume(),
  ]);
  assert.ok(closed);
  assert.deepEqual(replies, []);
  service.expectRunWithoutAnswer();
  await until(() => service.ledgerRows().length === before + 1);
  await until(async () => (await heldBytes(service)) === 0);
});

test("after all that, the service is as it was", async () => {
  assert.equal((await service.run({ acme__counter: true })).statusCode, 200);
});
