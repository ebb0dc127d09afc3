import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

/** Keeps its connection, and records what it receives. */
async function client(service: TestService, text = ""): Promise<Socket & { received: string }> {
  const port = Number(new URL(service.url).port);
  const socket = Object.assign(connect(port, "127.0.0.1"), { received: "" });
  socket.on("error", () => {}).on("data", (bytes: Buffer) => (socket.received += bytes.toString()));
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

const STATUS = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n";

test("beyond the limit a connection is closed at once, those before it are served, and the log says so once", async (t) => {
  const service = await startService(t, { settings: { "limits.expert.connections": 20 } });
  const first = await client(service);
  const held: Socket[] = [first];
  while (held.length < 20) held.push(await client(service));
  const late = await Promise.all(Array.from({ length: 80 }, () => client(service, STATUS)));
  await until(() => late.every(({ closed }) => closed));
  assert.ok(late.every(({ received }) => received === ""));
  first.write(STATUS);
  await until(() => first.received.startsWith("HTTP/1.1 200"));

  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  assert.equal(Number(/^datarun_connections (\S+)$/m.exec(page)![1]), 20);
  assert.equal(Number(/^datarun_connections_dropped_total (\S+)$/m.exec(page)![1]), 80);
  const lines = (await service.logLines()).filter(({ event }) => event === "connections_dropped");
  assert.deepEqual(
    lines.map(({ reason, count }) => [reason, count]),
    [["connection_limit", 1]],
    "a flood is one line, then a number",
  );

  for (const socket of held) socket.destroy();
  await until(async () => (await service.send("GET", "/status").catch(() => null))?.statusCode === 200);
});

test("a refused token is seen in the log, a flood as a number, and nothing of what was sent", async (t) => {
  const service = await startService(t);
  for (let count = 0; count < 50; count += 1)
    assert.equal(
      (await service.post("/data", {}, { as: { token: "drt_planted", workflow: "planted" } })).statusCode,
      401,
    );
  const seen = async () =>
    (await service.logLines()).filter(
      ({ event, level, code }) => event === "refused" && Number(level) >= 30 && code === "request.unauthenticated",
    );
  assert.match(String((await seen())[0]!["request_id"]), /^req_/);
  await service.close();
  assert.equal(
    (await seen()).reduce((sum, { count }) => sum + Number(count ?? 1), 0),
    50,
  );
  assert.ok(!JSON.stringify(await service.logLines()).includes("planted"));
});

test("what an adapter logs cannot speak in another's name", async (t) => {
  const forges = source("acme__forges", ({ log }) => {
    log.info("x", { event: "run", transaction_id: "trx_other", source: "bell__phone", own: 1 });
    return {};
  });
  const service = await startService(t, { sources: [forges] });
  const { transaction_id } = (await service.run({ acme__forges: true })).json();
  const line = (await service.logLines()).find(({ own }) => own === 1);
  assert.deepEqual(
    [line!["event"], line!["transaction_id"], line!["source"]],
    ["source_log", transaction_id, "acme__forges"],
  );
});
