import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { test } from "node:test";
import { heldBytes } from "../rig/held-bytes.ts";
import { until } from "../rig/until.ts";
import { startService, type TestService } from "../rig/service.ts";
import { source } from "../rig/sources.ts";

/** Keeps its connection, and tells what it was sent. */
async function client(service: TestService, text = "", from = "127.0.0.1"): Promise<Socket & { received: string }> {
  const port = Number(new URL(service.url).port);
  const socket = Object.assign(connect({ port, host: "127.0.0.1", localAddress: from }), { received: "" });
  socket.on("error", () => {}).on("data", (bytes: Buffer) => (socket.received += bytes.toString()));
  await once(socket, "connect");
  socket.write(text);
  return socket;
}

const STATUS = "GET /status HTTP/1.1\r\nHost: test\r\n\r\n";

test("clients who only hold connections cost nobody else a place, and who has a run under way keeps his", async (t) => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  const waits = source("acme__waits", async () => {
    await held;
    return {};
  });
  const service = await startService(t, { sources: [waits], settings: { "limits.connections": 20 } });
  const body = JSON.stringify({ config: { sources: { acme__waits: true } } });
  const run = `${service.rawHead("/data")}Content-Length: ${body.length}\r\n\r\n${body}`;
  const running = await client(service, run);
  const known = await client(
    service,
    run.replaceAll("acme__waits", "ok__echo").replace(`: ${body.length}`, `: ${body.length - 3}`),
  );
  await until(() => known.received.includes("transaction_id"));

  const strangers: Socket[] = [];
  for (let count = 0; count < 100; count += 1)
    strangers.push(
      await client(service, count % 2 === 0 ? "GET /sta" : `${service.rawHead("/data")}Content-Length: 9\r\n\r\n{`),
    );
  await until(() => strangers.filter(({ closed }) => !closed).length <= 18);
  const late = await client(service, STATUS);
  await until(() => late.received.startsWith("HTTP/1.1 200"));
  assert.ok(!running.closed && !known.closed, "who was let in before goes last");
  release();
  await until(() => running.received.startsWith("HTTP/1.1 200"));
  for (let count = 0; count < 2; count += 1) service.expectRunWithoutAnswer();

  const page = await (await fetch(`${service.adminUrl}/metrics`)).text();
  assert.ok(Number(/^datarun_connections (\S+)$/m.exec(page)![1]) <= 20);
  assert.ok(Number(/^datarun_connections_dropped_total (\S+)$/m.exec(page)![1]) >= 80);
  const lines = (await service.logLines()).filter(({ event }) => event === "connections_dropped");
  assert.deepEqual(
    lines.map(({ reason, count }) => [reason, count]),
    [["made_way", 1]],
    "a flood is one line, then a number",
  );
  for (const socket of [running, known, late, ...strangers]) socket.destroy();
});

const BODY_BEGUN = "POST /data HTTP/1.1\r\nHost: test\r\nContent-Length: 9\r\n\r\n{";

for (const [name, from, flood] of [
  ["strangers with many connections do not cut a slow caller of another address", "127.0.0.2", BODY_BEGUN],
  ["nor do those of its own address that send no body", "127.0.0.1", "GET /sta"],
] as const)
  test(name, async (t) => {
    const service = await startService(t, { settings: { "limits.connections": 20 } });
    const { token, workflow } = service.a;
    const body = JSON.stringify({ config: { sources: { ok__echo: true } }, access_token: token, workflow });
    const slow = await client(
      service,
      `POST /data HTTP/1.1\r\nHost: test\r\nContent-Length: ${body.length}\r\n\r\n${body.slice(0, -1)}`,
      from,
    );
    await until(async () => (await heldBytes(service)) === body.length - 1);

    const strangers: Socket[] = [];
    for (let count = 0; count < 100; count += 1) strangers.push(await client(service, flood));
    await until(() => strangers.filter(({ closed }) => !closed).length <= 19);
    slow.write("}");
    await until(() => slow.received.startsWith("HTTP/1.1 200"));

    service.expectRunWithoutAnswer();
    for (const socket of [slow, ...strangers]) socket.destroy();
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
