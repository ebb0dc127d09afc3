import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, test, type TestContext } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { heldBytes } from "../rig/held-bytes.ts";
import { startService } from "../rig/service.ts";
import { answers } from "../rig/sources.ts";
import { until } from "../rig/until.ts";

const MIB = 1024 * 1024;
const COUNT = 32;
/** A quarter of what has been sent. */
const KEPT_MAX = (COUNT * MIB) / 4;
const service = await startService(
  { after },
  { sources: [answers("acme__people", { name: "Ada" })], settings: { "limits.body_bytes": MIB } },
);
const STRANGER = "POST /data HTTP/1.1\r\nHost: test\r\n";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function usedBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function open(t: TestContext): Promise<Socket> {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Memory is given back some turns of the event loop after its last use. */
async function assertNothingKept(): Promise<void> {
  await until(async () => {
    await delay(20);
    collectGarbage();
    return usedBytes() - before < KEPT_MAX;
  });
}

const values = JSON.stringify(Array.from({ length: 36_000 }, () => [0])).padEnd(MIB - 200, " ");
let before = 0;

for (const [name, head, body] of [
  ["a stranger's body", STRANGER, " ".repeat(MIB)],
  [
    "a known caller's request and its run",
    service.rawHead("/data"),
    `{"config":{"sources":{"acme__people":true}},"inputs":{"all":${values}}}`,
  ],
] as const)
  test(`a connection that is kept after its answer does not keep ${name}`, async (t) => {
    const request = Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n${body}`);
    const sockets: Socket[] = [];
    const ask = async () => {
      if (head !== STRANGER) service.expectRunWithoutAnswer();
      const socket = await open(t);
      socket.write(request);
      await once(socket, "data");
      sockets.push(socket);
    };
    await ask();
    collectGarbage();
    before = usedBytes();
    for (let count = 0; count < COUNT; count += 1) await ask();
    await assertNothingKept();
    assert.ok(
      sockets.every((socket) => !socket.destroyed && !socket.readableEnded),
      "all of them are kept",
    );
  });

test("a connection whose client has gone in the middle of a body keeps nothing of it", async (t) => {
  const request = Buffer.from(`${STRANGER}Content-Length: ${MIB}\r\n\r\n${" ".repeat(MIB - 1)}`);
  collectGarbage();
  before = usedBytes();
  for (let count = 0; count < COUNT; count += 1) {
    const socket = await open(t);
    socket.write(request);
    await until(async () => (await heldBytes(service)) >= MIB - 1);
    socket.end();
    await once(socket.resume(), "close");
  }
  await assertNothingKept();
});
