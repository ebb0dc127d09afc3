import assert from "node:assert/strict";
import { connect, type Socket } from "node:net";
import { once } from "node:events";
import { test } from "node:test";
import { exchange } from "../rig/raw-socket.ts";
import { until } from "../rig/until.ts";
import { after as later, type Behaviour, body, hang, json } from "../vendor/behaviours.ts";
import { startVendor, type Vendor } from "../vendor/scripted-vendor.ts";
import { deploy, type Deployment } from "../rig/deployed.ts";
import { vendorProject } from "./vendor-project.ts";

/** The default grace is longer, and so is the time of a source that hangs; a busy machine needs seconds to end a process. */
const AT_ONCE_MS = 14_000;

const FUNCTION = `export default { id: "dfunc_twice", title: "T", async run({ run }) {
  const first = await run("acme__hung", {});
  const second = await run("acme__quick", {});
  return { output: { first: first.message, second: second.message } };
} };`;

test("a service that gets a signal to stop answers runs in progress, closes idle connections, and exits 0", async (t) => {
  const stopping = Promise.withResolvers<void>();
  const slow: Behaviour = (socket, request) => void stopping.promise.then(() => json({ slow: true })(socket, request));
  const vendor = await startVendor(t, { paths: { "/slow": slow } });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { slow: "/slow", quick: "/json" }) });
  const service = await deployment.start();
  const { port } = new URL(service.url);
  assert.equal((await service.run({ acme__quick: true })).statusCode, 200, "this connection stays open, idle");
  const neverUsed = await Promise.all(Array.from({ length: 5 }, () => connected(port)));
  const before = vendor.count();
  const waiting = Array.from({ length: 30 }, () => service.run({ acme__slow: true, acme__quick: true }));
  await vendor.received(before + 60);

  const toldAt = performance.now();
  service.signal("SIGTERM");
  await until(() => refusesConnections(port));
  stopping.resolve();
  const replies = await Promise.all(waiting);
  const { code, at } = await service.ended;

  for (const reply of replies) {
    assert.equal(reply.statusCode, 200);
    assert.equal(reply.headers["connection"], "close");
    assert.deepEqual(reply.json().outputs["acme__slow"], { slow: true });
  }
  assert.equal(code, 0);
  assert.ok(at - toldAt < AT_ONCE_MS, `it took ${Math.round(at - toldAt)} ms`);
  assert.ok(neverUsed.every((socket) => socket.closed));
  assertRecorded(deployment, vendor, 31);
  assert.equal(service.log().at(-1)!["event"], "stopped");
});

test("what hangs is answered as failed at the end of the grace, and nothing new is sent after it", async (t) => {
  const vendor = await startVendor(t, { paths: { "/hung": hang } });
  const project = vendorProject(t, vendor, { hung: "/hung", quick: "/json" }, { "functions/twice.mjs": FUNCTION });
  const deployment = await deploy(t, { project });
  const service = await deployment.start({ args: ["--limits-shutdown-grace-ms", "700"] });
  const data = service.run({ acme__hung: true, acme__quick: true });
  const func = service.post("/func", { config: { data_func: "dfunc_twice" }, inputs: {} });
  await vendor.received(3);

  const toldAt = performance.now();
  service.signal("SIGTERM");
  const { outputs, status } = (await data).json();
  const answered = (await func).json();
  const { code, at } = await service.ended;

  assert.deepEqual(outputs["acme__hung"], {});
  assert.equal(outputs["acme__quick"].name, "Ada");
  assert.equal(status["acme__hung"].message, "Adapter error: the run ended before the vendor answered");
  assert.deepEqual(answered.outputs["dfunc_twice"].output, {
    first: "Adapter error: the run ended before the vendor answered",
    second: "Adapter error: the run ended before this vendor was called",
  });
  assert.equal(code, 0);
  assert.ok(at - toldAt < AT_ONCE_MS, `it took ${Math.round(at - toldAt)} ms`);
  assert.equal(vendor.count("/json"), 1, "the function's second call came after the grace");
  assertRecorded(deployment, vendor, 2);
});

for (const [when, beforeMs] of [
  ["before", 0],
  ["while", 900],
] as const)
  test(`an answer that its client is slow to read has the rest of the grace period, stopped ${when} it is written`, async (t) => {
    const vendor = await startVendor(t, {
      paths: { "/large": later(300, body(JSON.stringify({ text: "x".repeat(4_000_000) }))) },
    });
    const deployment = await deploy(t, {
      project: vendorProject(t, vendor, { large: "/large" }),
      env: { DATARUN_LIMITS_EXPERT_REPLY_DECODED_BYTES: "5000000" },
    });
    const service = await deployment.start();
    const text = JSON.stringify({ config: { sources: { acme__large: true } } });
    const reading = exchange(
      service.url,
      [
        `${deployment.head("/data")}Content-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
        (socket: Socket) => socket.pause(),
        () => vendor.received(1),
        beforeMs,
        () => service.signal("SIGTERM"),
        2_500,
        (socket: Socket) => socket.resume(),
      ],
      { withinMs: 20_000 },
    );
    const [reply] = (await reading).replies;
    assert.equal(reply?.statusCode, 200);
    assert.equal(JSON.parse(reply.text).outputs["acme__large"].text.length, 4_000_000);
    assert.equal((await service.ended).code, 0);
  });

test("a second signal ends it at once; what was sent is listed as unknown after the next start", async (t) => {
  const vendor = await startVendor(t, { paths: { "/hung": hang } });
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { hung: "/hung", quick: "/json" }) });
  for (const [first, second] of [
    ["SIGTERM", "SIGTERM"],
    ["SIGINT", "SIGTERM"],
    ["SIGTERM", "SIGINT"],
  ] as const) {
    const service = await deployment.start();
    const before = vendor.count();
    assert.equal((await service.run({ acme__quick: true })).statusCode, 200);
    const lost = service.run({ acme__hung: true }).catch((error: Error) => error);
    await vendor.received(before + 2);
    service.signal(first);
    await until(() => refusesConnections(new URL(service.url).port));
    const secondAt = performance.now();
    service.signal(second);
    const { code, at } = await service.ended;
    assert.equal(code, 130);
    assert.ok(at - secondAt < AT_ONCE_MS, `it took ${Math.round(at - secondAt)} ms`);
    assert.ok((await lost) instanceof Error);
  }
  const last = await deployment.start();
  const recovered = last.log().find(({ event }) => event === "ledger_recovered_intents");
  assert.notEqual(recovered, undefined);
  assertRecorded(deployment, vendor, 6);
  const { requests } = await deployment.verb("ledger", "unknown");
  assert.equal(requests.length, 3);
  last.signal("SIGINT");
  assert.equal((await last.ended).code, 0);
});

test("a signal during the start ends it cleanly and not as a success, whenever it comes", async (t) => {
  const vendor = await startVendor(t);
  const deployment = await deploy(t, { project: vendorProject(t, vendor, { quick: "/json" }) });
  for (const afterMs of [0, 100, 250, 400, 600]) {
    const service = await deployment.start({ listening: false });
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    service.signal("SIGTERM");
    const { code, signal } = await service.ended;
    // Before Node has come to our first line, the signal's own default holds.
    const listened = service.log().some(({ event }) => event === "listening");
    assert.ok(
      signal === "SIGTERM" || code === (listened ? 0 : 130),
      `${afterMs} ms: ${code} ${signal} ${service.stderr()}`,
    );
    assert.equal(service.stderr(), "");
  }
  const service = await deployment.start();
  assert.equal((await service.run({ acme__quick: true })).statusCode, 200);
});

/** The promise of the ledger, held against the vendor's own count. */
function assertRecorded(deployment: Deployment, vendor: Vendor, runs: number): void {
  const ledger = deployment.ledger();
  assert.equal(ledger.length, runs);
  assert.equal(ledger.flatMap(({ attempts }) => attempts).length, vendor.count());
}

async function connected(port: string): Promise<Socket> {
  const socket = connect(Number(port), "127.0.0.1");
  socket.on("error", () => {});
  socket.resume();
  await once(socket, "connect");
  return socket;
}

async function refusesConnections(port: string): Promise<boolean> {
  const socket = connect(Number(port), "127.0.0.1");
  return new Promise((resolve) => {
    socket.on("error", () => resolve(true));
    socket.on("connect", () => {
      socket.destroy();
      resolve(false);
    });
  });
}
