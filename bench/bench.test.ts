import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { Load } from "./load.ts";
import { DirectCalls, MeasuredPeer, type Burst, type Pace, type Setting } from "./measure.ts";
import { createPeerStarter, type PeerStarter } from "./peers.ts";
import { cpuMicros, memoryOf, threadTimesOf } from "./process-tree.ts";
import { median, toMarkdown, type Result } from "./results.ts";
import { isMeasured, KINDS, PEERS, scenariosOf, type Scenario } from "./scenarios.ts";
import { startVendors } from "./start-vendors.ts";

const PACE: Pace = {
  warmRuns: 20,
  warmSecondsMin: 0,
  warmSecondsMax: 2,
  leadSeconds: 0.1,
  closedSeconds: 0.5,
  openSeconds: 0.5,
  connections: 4,
  runsPerSecond: 50,
};
const CLOSED: Scenario = { kind: "n5", sources: 3, kilobytes: 2, tls: false, vendorDelayMs: 0, loop: "closed" };

async function openSetting(t: TestContext, scenario: Scenario, starter = NO_STARTER): Promise<Setting> {
  const vendors = await startVendors(scenario);
  t.after(() => vendors.stop());
  return { scenario, vendors, starter, pace: PACE };
}

const NO_STARTER = null as unknown as PeerStarter;

test("every peer calls each vendor once a run, with and without TLS, the real service through its command line among them", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-bench-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const starter = await createPeerStarter(folder, []);
  for (const tls of [false, true]) {
    const setting = await openSetting(t, { ...CLOSED, tls }, starter);
    for (const name of PEERS.filter((peer) => !tls || peer !== "datarun mapped")) {
      const peer = await MeasuredPeer.start(name, setting);
      try {
        // Read once: it grows.
        const { mainMib, treeMib } = peer.memory;
        assert.ok(mainMib > 10 && treeMib >= mainMib, name);
        // Both throw when a run failed or the vendors' own count is another than runs times sources.
        await peer.warmUp();
        const { runsPerSecond, cpu } = await peer.burst();
        assert.ok(runsPerSecond > 0 && cpu.main > 0 && cpu.engine >= 0, name);
        assert.equal(cpu.journal > 0, name.startsWith("datarun"), name);
      } finally {
        await peer.stop();
      }
    }
  }
});

test("a connection that the other side closed while nothing was sent on it is not used again", async (t) => {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const load = new Load({ port, request: Buffer.from("GET / HTTP/1.1\r\n\r\n"), bodyBytesMin: 2 });
  t.after(() => load.close());
  await Promise.all([load.run(), load.run()]);
  const gone = sockets.map((socket) => once(socket, "close"));
  for (const socket of sockets) socket.end();
  await Promise.all(gone);

  await Promise.all([load.run(), load.run()]);

  assert.deepEqual([load.runs, load.failures, sockets.length], [4, 0, 4]);
});

test("an open loop waits at least as long as the vendor does", async (t) => {
  for (const tls of [false, true]) {
    const setting = await openSetting(t, { ...CLOSED, sources: 1, tls, vendorDelayMs: 20, loop: "open" });
    const direct = new DirectCalls(setting);
    t.after(() => direct.close());
    await direct.warmUp();
    const { p50Ms, p99Ms } = await direct.burst();
    assert.ok(p50Ms >= 19 && p99Ms >= p50Ms, `${p50Ms}, ${p99Ms}`);
  }
});

test("an answer that is too small, or none, is a failure", async (t) => {
  const vendors = await startVendors({ ...CLOSED, sources: 1 });
  t.after(() => vendors.stop());
  const request = Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const small = new Load({ port: vendors.ports[0]!, request, bodyBytesMin: vendors.replyBytes + 1 });
  await small.run();
  small.close();
  assert.match(small.firstFailure ?? "", /^status 200, \d+ bytes$/);
  assert.deepEqual(await vendors.takeCounts(), { requests: 1, withoutInputs: 1 });

  const nobody = new Load({ port: 9, request, bodyBytesMin: 0 });
  await nobody.run();
  assert.deepEqual([nobody.runs, nobody.failures], [1, 1]);
});

test("the time of a process is that of its threads by name, and of all below it", async () => {
  const before = threadTimesOf(process.pid);
  for (const until = performance.now() + 60; performance.now() < until;) Math.sqrt(2);
  const { main, journal } = cpuMicros(before, threadTimesOf(process.pid), 1);
  assert.ok(main > 1_000 && main < 10_000_000, String(main));
  assert.equal(journal, 0);
  const { mainMib, treeMib } = memoryOf(process.pid);
  assert.ok(mainMib > 10 && treeMib >= mainMib);
});

test("a thread that began meanwhile is counted from its beginning, and one that ended is not counted", () => {
  const before = new Map([
    ["1 1", { part: "main", nanoseconds: 5_000_000 }],
    ["1 2", { part: "engine", nanoseconds: 9_000_000 }],
  ] as const);
  const after = new Map([
    ["1 1", { part: "main", nanoseconds: 9_000_000 }],
    ["1 3", { part: "journal", nanoseconds: 2_000_000 }],
  ] as const);
  assert.deepEqual(cpuMicros(before, after, 2), { main: 2_000, journal: 1_000, engine: 0, others: 0 });
});

test("every kind is measured for its cost, and those of 2 KB for what a caller waits", () => {
  const scenarios = scenariosOf(KINDS, ["closed", "open"]);
  const named = scenarios.map(({ loop, kind, sources, kilobytes }) => `${loop} ${kind} ${sources}x${kilobytes}`);
  assert.deepEqual(named, [
    "closed n1 1x2",
    "closed n5 5x2",
    "closed n20 20x2",
    "closed k20 5x20",
    "closed k200 5x200",
    "closed tls5 5x2",
    "open n1 1x2",
    "open n5 5x2",
    "open n20 20x2",
    "open tls5 5x2",
  ]);
  assert.equal(scenarios.filter((scenario) => isMeasured("datarun mapped", scenario)).length, 2);
});

test("the table holds medians, and the ratio to the floor of the same round", () => {
  const burst = (main: number): Burst => ({
    cpu: { main, journal: 0, engine: 0, others: 0 },
    runsPerSecond: 1000,
    p50Ms: main / 100,
    p99Ms: main / 10,
  });
  const result = (peer: Result["peer"], scenario: Scenario, mains: readonly number[]): Result => ({
    peer,
    scenario,
    coldStartMs: mains[0]!,
    idle: { mainMib: 50, treeMib: 70 },
    loaded: { mainMib: 90, treeMib: 110 },
    bursts: mains.map(burst),
    direct: scenario.loop === "open" ? mains.map(() => ({ p50Ms: 0.5, p99Ms: 1 })) : [],
  });
  const open: Scenario = { ...CLOSED, loop: "open" };
  const table = toMarkdown([
    result("floor", CLOSED, [100, 200, 400]),
    result("datarun", CLOSED, [50, 200, 240]),
    result("datarun limited", CLOSED, [51, 206, 240]),
    result("datarun", open, [150, 200, 250]),
  ]);
  assert.match(table, /\| n5 \| 3 x 2 \| floor \| 1.00 \| 1.00 .. 1.00 \| 200 \| 200 \| 0 \|/);
  assert.match(table, /\| n5 \| 3 x 2 \| datarun \| 0.60 \| 0.50 .. 1.00 \| 200 \| 200 \|.* 1000 \| 90 \| 110 \|/);
  assert.match(table, /\| n5 \| 3 x 2 \| datarun \| 1.50 \| 19.00 \| 200 \|  \|/);
  assert.match(table, /add 2.0 % to a run of 3 sources \(0.0 % to 3.0 % in single rounds\)/);
  assert.match(table, /\| datarun \| 2 \| 100 \| 50 \| 70 \|/);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});
