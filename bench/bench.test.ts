import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Load } from "./load.ts";
import { measure, measureDirect, type Figure, type Pace } from "./measure.ts";
import { createPeerStarter } from "./peers.ts";
import { usageOf } from "./process-tree.ts";
import { median, toMarkdown, type Result } from "./results.ts";
import { isMeasured, PEERS, scenariosOf, type Scenario } from "./scenarios.ts";
import { startVendors } from "./start-vendors.ts";

const PACE: Pace = { warmUpSeconds: 0.05, closedSeconds: 1, openSeconds: 0.5, connections: 4, runsPerSecond: 50 };
const CLOSED: Scenario = { sources: 3, kilobytes: 2, vendorDelayMs: 0, loop: "closed" };

test("every peer calls each vendor once a run, the real service through its command line among them", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "datarun-bench-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const starter = await createPeerStarter(folder, []);
  const vendors = await startVendors(CLOSED);
  t.after(() => vendors.stop());
  // `measure` throws when a run failed or the vendors' own count is another than runs times sources.
  for (const peer of PEERS) {
    const figure = await measure(peer, CLOSED, vendors, starter, PACE);
    assert.ok(figure.runsPerSecond > 0, peer);
    assert.ok(figure.peakRssMib > 10, peer);
  }
});

test("an open loop waits at least as long as the vendor does", async (t) => {
  const scenario: Scenario = { sources: 1, kilobytes: 2, vendorDelayMs: 20, loop: "open" };
  const vendors = await startVendors(scenario);
  t.after(() => vendors.stop());
  const { p50Ms, p99Ms } = await measureDirect(scenario, vendors, PACE);
  assert.ok(p50Ms >= 19 && p99Ms >= p50Ms, `${p50Ms}, ${p99Ms}`);
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

test("the usage of a process is that of its main thread and of all else", () => {
  const before = usageOf(process.pid);
  for (const until = performance.now() + 60; performance.now() < until;) Math.sqrt(2);
  const after = usageOf(process.pid);
  assert.ok(after.mainSeconds > before.mainSeconds);
  assert.ok(after.otherSeconds >= before.otherSeconds);
  assert.ok(after.peakRssMib > 10);
});

test("200 KB is measured with five sources only, and latency at 2 KB only", () => {
  const scenarios = scenariosOf({ sources: [1, 5, 20], kilobytes: [2, 20, 200], loops: ["closed", "open"] });
  const short = scenarios.map(({ loop, sources, kilobytes }) => `${loop} ${sources}x${kilobytes}`);
  const closed = [
    "closed 1x2",
    "closed 5x2",
    "closed 20x2",
    "closed 1x20",
    "closed 5x20",
    "closed 20x20",
    "closed 5x200",
  ];
  assert.deepEqual(short, [...closed, "open 1x2", "open 5x2", "open 20x2"]);
  assert.equal(scenarios.filter((scenario) => isMeasured("datarun mapped", scenario)).length, 3);
});

test("the table holds medians, and the ratio to the floor of the same round", () => {
  const figure = (cpuMicros: number): Figure => ({
    cpuMicros,
    mainMicros: cpuMicros,
    otherMicros: 0,
    runsPerSecond: 1000,
    peakRssMib: 100,
    coldStartMs: 50,
    p50Ms: Number.NaN,
    p99Ms: Number.NaN,
  });
  const result = (round: number, peer: Result["peer"], cpuMicros: number): Result => ({
    round,
    peer,
    scenario: CLOSED,
    figure: figure(cpuMicros),
    direct: null,
  });
  const table = toMarkdown([
    result(1, "floor", 100),
    result(1, "datarun", 50),
    result(2, "floor", 200),
    result(2, "datarun", 200),
    result(3, "floor", 400),
    result(3, "datarun", 240),
  ]);
  assert.match(table, /\| 3 \| 2 \| floor \| 200 \| 200 \| 0 \| 1.00 \|/);
  assert.match(table, /\| 3 \| 2 \| datarun \| 200 \| 200 \| 0 \| 0.60 \|/);
  assert.equal(median([4, 1, 3, 2]), 2.5);
});
