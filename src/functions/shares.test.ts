import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import { test } from "node:test";
import { FakeClock } from "../terms/clock.kit.ts";
import type { Fault } from "../terms/fault.ts";
import { startPool } from "./pool/pool.kit.ts";

const NEVER = "() => new Promise(() => {})";
/** Nobody waits for it: such runs end with their pool. */
const LONG_MS = 60_000;

test("an organization whose 64 runs never end leaves room for the calls of another", async (t) => {
  const rig = await startPool(t);
  const idle = Array.from({ length: 64 }, () => rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS }));
  const calls = [1, 2, 3].map(() => rig.attempt("() => ({})", { organizationId: "org_b", limitMs: LONG_MS }));
  for (const call of calls) assert.equal((await call).json, "{}");
  await rig.running(64);
  await rig.pool.close();
  await Promise.all(idle);
});

test("runs that must have a process alone keep no other organization from running, with a single process too", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 1, apart: 2 });
  await rig.settled(2);
  const suspects = ["a", "b", "c"].map((name) => `() => new Promise(() => {}, "${name}")`);
  const first = suspects.map((text) => rig.attempt(text, { organizationId: "org_a", limitMs: LONG_MS }));
  await rig.running(3);
  process.kill(rig.pool.stats().pids[0]!, "SIGKILL");
  await Promise.all(first);

  const again = suspects.map((text) => rig.attempt(text, { organizationId: "org_a", limitMs: LONG_MS }));
  await rig.running(1);
  const plain = await rig.attempt("() => ({})", { organizationId: "org_b", limitMs: LONG_MS });
  const large = await rig.attempt("() => ({})", { organizationId: "org_b", limitMs: LONG_MS, memoryMb: 256 });
  assert.deepEqual([plain.json, large.json], ["{}", "{}"]);
  assert.deepEqual([rig.pool.stats().active, rig.pool.stats().queued], [1, 2], "its share is one process of two");
  await rig.pool.close();
  await Promise.all(again);
});

test("runs that are granted much memory share a process set apart with others of their organization only", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0 });
  const roomy = (organizationId: string) => rig.attempt(NEVER, { organizationId, memoryMb: 256, limitMs: LONG_MS });
  const runs = [roomy("org_a"), roomy("org_a"), roomy("org_b"), rig.attempt(NEVER, { limitMs: LONG_MS })];
  await rig.running(4);
  assert.equal(rig.pool.stats().apart, 2);
  await rig.pool.close();
  await Promise.all(runs);
});

test("an organization has so many runs waiting and no more: the next one fails at once", async (t) => {
  const rig = await startPool(t, { children: 1, spares: 0, runsPerChild: 2, waitingPerOrganization: 3 });
  const idle = [1, 2, 3, 4].map(() => rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS }));
  await rig.running(1);
  assert.equal(rig.pool.stats().queued, 3);
  const refused = await rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS });
  assert.equal((refused.thrown as Fault).code, "function.overloaded");
  assert.equal((await rig.attempt("() => ({})", { organizationId: "org_b" })).json, "{}");
  await rig.pool.close();
  await Promise.all(idle);
});

/**
 * What counts is how much of the time a function computes. On a clock that stands still that is all the time, however
 * little of the processors the machine leaves it.
 */
const COMPUTES = "() => { let sum = 0; for (let n = 0; n < 2e7; n += 1) sum = (sum * 31 + n) | 0; return { sum }; }";

test("an organization whose function computes all the time gets a process of its own, after which all others come", async (t) => {
  const rig = await startPool(t, { clock: new FakeClock(), children: 1, spares: 1 });
  await rig.settled(2);
  const compute = (organizationId: string) => rig.attempt(COMPUTES, { organizationId, limitMs: LONG_MS });
  while (rig.pool.stats().apart === 0)
    for (const { thrown } of await Promise.all([1, 2, 3].map(() => compute("org_a")))) assert.equal(thrown, undefined);

  const computes = [1, 2, 3].map(() => compute("org_a"));
  assert.equal((await rig.attempt("() => ({})", { organizationId: "org_b" })).json, "{}");
  assert.equal((await compute("org_b")).thrown, undefined, "it is not the function alone");
  for (const run of computes) assert.equal((await run).thrown, undefined);
  assert.equal(rig.pool.stats().apart, 1, "one process for all its runs");
  const own = getPriority();
  const lower = rig.pool.stats().pids.map((pid) => prioritiesOf(pid).map((priority) => priority - own));
  if (process.platform === "linux") {
    const [yields, ...others] = lower.sort((a, b) => b[0]! - a[0]!);
    assert.deepEqual([...new Set(yields)], [7, 10], "its main thread, and all others");
    for (const each of others) assert.deepEqual([...new Set(each)], [2, 5]);
  }
  assert.equal(rig.lines.filter(({ event }) => event !== "function_process_replaced").length, 0, "nobody is blamed");
});

/** Of the threads of a process, its main thread first. */
function prioritiesOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)));
}

test("of functions that are new, an organization has four runs in a process, until it is known what they need", async (t) => {
  const clock = new FakeClock();
  const rig = await startPool(t, { clock, children: 1, spares: 0 });
  const begin = (organizationId: string, text = NEVER) => rig.attempt(text, { organizationId, limitMs: LONG_MS });
  const runs = Array.from({ length: 6 }, () => begin("org_a"));
  runs.push(begin("org_a", `() => new Promise(() => {}, "another")`), ...[1, 2, 3, 4].map(() => begin("org_b")));
  await rig.running(8);
  assert.deepEqual([rig.pool.stats().active, rig.pool.stats().queued], [8, 3]);
  await clock.advance(600);
  await rig.running(11);
  await rig.pool.close();
  await Promise.all(runs);
});

test("an organization has sixteen runs in a process with others, and its further ones in one of its own", async (t) => {
  const clock = new FakeClock();
  const rig = await startPool(t, { clock, children: 1, spares: 0 });
  const shared = rig.pool.stats().pids[0]!;
  const begin = (organizationId: string) => rig.attempt(NEVER, { organizationId, limitMs: LONG_MS });
  const its = Array.from({ length: 20 }, () => begin("org_a"));
  await rig.running(4);
  // By then no function is new any more, however much of its time it seemed to compute on a clock that stood still.
  await clock.advance(6_000);
  await rig.running(20);
  assert.equal(rig.pool.stats().apart, 1);
  const other = begin("org_b");
  await rig.running(21);
  // Whose process dies fails; the others go on until the pool is closed.
  process.kill(shared, "SIGKILL");
  await rig.waitUntil(({ active }) => active < 21);
  assert.equal(rig.pool.stats().active, 4, "sixteen and the other organization's were in the first");
  await rig.pool.close();
  await Promise.all([...its, other]);
});

test("a function that computes waits for a process of its own, and does not go on among the others", async (t) => {
  const rig = await startPool(t, { clock: new FakeClock(), children: 1, spares: 0 });
  const compute = () => rig.attempt(COMPUTES, { limitMs: LONG_MS });
  while (rig.pool.stats().apart === 0) await Promise.all([1, 2, 3].map(() => compute()));
  assert.equal(rig.pool.stats().apart, 1);
});

test("where no process can be set apart for it, such a function runs among the others", async (t) => {
  const rig = await startPool(t, { clock: new FakeClock(), children: 1, spares: 1, apart: 2 });
  const large = ["org_b", "org_c"].map((organizationId) =>
    rig.attempt(NEVER, { organizationId, memoryMb: 256, limitMs: LONG_MS }),
  );
  await rig.running(2);
  const replaced = () => rig.lines.filter(({ event }) => event === "function_process_replaced").length;
  const compute = async () => {
    const computes = [1, 2, 3].map(() => rig.attempt(COMPUTES, { organizationId: "org_a", limitMs: LONG_MS }));
    for (const run of computes) assert.equal((await run).thrown, undefined);
  };
  while (replaced() === 0) await compute();
  for (let time = 0; time < 3; time += 1) await compute();
  assert.equal(replaced(), 1, "and its process is replaced once");
  await rig.pool.close();
  await Promise.all(large);
});
