import assert from "node:assert/strict";
import { LINES_MAX } from "../../src/operate/line-limit.ts";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { after, test } from "node:test";
import { deploy, type Process } from "../rig/deployed.ts";
import { until } from "../rig/until.ts";
import { project } from "../start/project-folder.ts";

/** The least that an operator would give it. Everything here is done by clients without a token. */
const HEAP_MIB = 256;
/** The heap, what lies outside of it, and what the allocator does not give back; without limits it is gigabytes. */
const RSS_MIB_MAX = 640;
const HEAD = "POST /data HTTP/1.1\r\nHost: x\r\n";
const PIECES = Buffer.from("1\r\nx\r\n".repeat(10_000));
const MIB = 1024 * 1024;

const source = `export default { id: "acme__here", title: "T", inputs: { type: "object", properties: {} }, run: () => ({ here: true }) };`;
const deployment = await deploy({ after } as Parameters<typeof deploy>[0], {
  project: project({ after }, { "sources/here.mjs": source }),
  env: { NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}` },
});
const service = await deployment.start();
const sockets = new Set<Socket>();

function open(): Socket {
  const socket = connect(Number(new URL(service.url).port), "127.0.0.1");
  socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  sockets.add(socket);
  return socket;
}

async function send(socket: Socket, bytes: Buffer | string, times = 1): Promise<void> {
  for (let count = 0; count < times && !socket.destroyed; count += 1)
    if (!socket.write(bytes)) await Promise.race([once(socket, "drain"), once(socket, "close")]).catch(() => {});
}

function many(count: number, attack: (socket: Socket) => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: count }, () => attack(open())));
}

/** By name: what strangers do. Each ends on its own, or when its sockets are closed. */
const ATTACKS: Readonly<Record<string, () => Promise<unknown>>> = {
  "bodies in a million pieces": () =>
    many(26, async (socket) => {
      socket.resume();
      await send(socket, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`);
      await send(socket, PIECES, 104);
    }),
  "the same behind a token of the right shape": () =>
    many(26, async (socket) => {
      socket.resume();
      await send(socket, `${HEAD}X-Service-Access-Token: drt_${"a".repeat(49)}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      await send(socket, PIECES, 104);
    }),
  "bodies that are announced and never finished": () =>
    many(600, (socket) =>
      send(socket, Buffer.concat([Buffer.from(`${HEAD}Content-Length: ${MIB}\r\n\r\n`), Buffer.alloc(MIB - 1, 0x20)])),
    ),
  "whole bodies on connections that are kept": async () => {
    // One after the other: many at once would displace each other.
    for (let count = 0; count < 400; count += 1) {
      const socket = open();
      await send(
        socket,
        Buffer.concat([Buffer.from(`${HEAD}Content-Length: ${MIB}\r\n\r\n`), Buffer.alloc(MIB, 0x20)]),
      );
      await Promise.race([once(socket, "data"), once(socket, "close")]).catch(() => {});
    }
  },
  "bodies of empty objects": () =>
    many(20, (socket) =>
      send(
        socket.resume(),
        `${HEAD}Content-Length: ${MIB}\r\n\r\n{"a":[${"{},".repeat(349_520)}{}]}`.padEnd(MIB + 64, " "),
      ),
    ),
  // Node makes objects of all requests that one read brings, some 7 MiB for each of these connections.
  "requests without end whose answers nobody reads": () =>
    many(12, async (socket) => {
      socket.pause();
      const flood = send(socket, "GET /status HTTP/1.1\r\nHost: x\r\n\r\n".repeat(5_000), 20);
      await Promise.race([flood, new Promise((resolve) => setTimeout(resolve, 1_500))]);
    }),
  "heads that never end": () =>
    many(400, (socket) => send(socket, `GET /status HTTP/1.1\r\nHost: x\r\nX: ${"y".repeat(15_000)}`)),
  "connections that send nothing": () => many(1_500, (socket) => once(socket, "connect").catch(() => {})),
};

async function rssMib(): Promise<number> {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${service.pid}/status`, "utf8"))![1]) / 1024;
}

/** Answered while it is attacked, and by a client that was there before. */
async function assertServes(process: Process, name: string): Promise<void> {
  const status = await process.client.send({ method: "GET", path: "/status", headers: {} });
  assert.equal(status.statusCode, 200, name);
  assert.equal((await process.run({ acme__here: true })).json().outputs["acme__here"].here, true, name);
  assert.equal((await fetch(`${process.adminUrl}/live`)).status, 200, name);
}

async function survives(name: string, attack: () => Promise<unknown>): Promise<void> {
  let rssMax = 0;
  const watching = setInterval(
    () =>
      void rssMib()
        .then((rss) => (rssMax = Math.max(rssMax, rss)))
        .catch(() => {}),
    50,
  );
  try {
    const attacked = attack();
    await assertServes(service, name);
    await attacked;
    await assertServes(service, name);
  } finally {
    clearInterval(watching);
    // Also when it has failed: open sockets would keep this process alive.
    for (const socket of sockets) socket.destroy();
  }
  await until(() => sockets.size === 0);
  assert.ok(rssMax < RSS_MIB_MAX, `${name}: ${Math.round(rssMax)} MiB`);
}

for (const [name, attack] of Object.entries(ATTACKS))
  test(`unauthenticated clients do not end the service: ${name}`, () => survives(name, attack));

test("unauthenticated clients do not end the service: all of it at once", () =>
  survives("all of it", () => Promise.all(Object.values(ATTACKS).map((attack) => attack()))));

test("after all that, it is as it was, and its log has not been flooded", async () => {
  await assertServes(service, "at the end");
  assert.equal(service.stderr(), "");
  const lines = service.log().filter(({ event }) => event !== "run");
  const refused = lines.filter(({ event }) => event === "refused");
  assert.ok(lines.length - refused.length < 100, `${lines.length - refused.length} lines`);
  // Of each code, a few refusals of a second have a line each, and the others one together.
  const bySecond = Map.groupBy(refused, ({ code, time }) => `${String(code)} ${String(time).slice(0, 19)}`);
  for (const [second, each] of bySecond) assert.ok(each.length <= 2 * (LINES_MAX + 1), `${each.length} in ${second}`);
});
