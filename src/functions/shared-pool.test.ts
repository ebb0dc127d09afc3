import assert from "node:assert/strict";
import { test } from "node:test";
import { readdirSync } from "node:fs";
import { getPriority } from "node:os";
import type { Fault } from "../terms/fault.ts";
import { startPool } from "./pool/pool.kit.ts";

const NEVER = "() => new Promise(() => {})";
/** Nice levels of the threads of a process relative to the service, sorted and joined. */
const PRIORITIES = { usual: "2 5", computing: "7 10" };
/** Longer than a test on a busy machine: such runs end when their pool closes. */
const LONG_MS = 3_600_000;

test("an organization whose runs never end leaves processes for others, up to the number that there may be", async (t) => {
  const rig = await startPool(t, { processes: 3 });
  const idle = Array.from({ length: 64 }, () => rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS }));
  for (const organizationId of ["org_b", "org_c"])
    assert.equal((await rig.attempt("() => ({})", { organizationId, limitMs: LONG_MS })).json, "{}");
  assert.equal(rig.pool.stats().assigned, 3);
  await rig.pool.close();
  await Promise.all(idle);
});

test("a process never runs the functions of two organizations, and an idle one is replaced for the next organization", async (t) => {
  const rig = await startPool(t, { processes: 1 });
  const run = async (organizationId: string) => {
    const { json, thrown } = await rig.attempt("() => ({})", { organizationId, limitMs: LONG_MS });
    assert.equal(json, "{}", String(thrown));
    return rig.pool.stats().pids[0];
  };
  const first = await run("org_a");
  assert.equal(await run("org_a"), first, "its organization keeps it");
  const startedAt = performance.now();
  assert.notEqual(await run("org_b"), first);
  t.diagnostic(`the next organization ran after ${(performance.now() - startedAt).toFixed(0)} ms`);
  assert.equal(rig.pool.stats().killed, 0);
  assert.deepEqual(rig.lines, []);
});

test("organizations that need more processes than there may be share them in turn, and none loses a run", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const works = "async ({ run }) => { await run('wait_50'); return {}; }";
  let others = 5;
  const busy = async (organizationId: string) => {
    let ended = 0;
    while (others > 0) {
      const { thrown } = await rig.attempt(works, { organizationId, limitMs: LONG_MS });
      assert.equal(thrown, undefined, String(thrown));
      ended += 1;
    }
    return ended;
  };
  // Two concurrent loops each, so that neither organization is ever without a run.
  const lanes = ["org_a", "org_a", "org_b", "org_b"].map(busy);
  await rig.running(4);
  const waiting = Array.from({ length: others }, async (_, at) => {
    const { thrown, tookMs } = await rig.attempt(works, { organizationId: `org_${at}`, limitMs: LONG_MS });
    assert.equal(thrown, undefined, String(thrown));
    others -= 1;
    return tookMs;
  });
  t.diagnostic(`waited: ${(await Promise.all(waiting)).map((ms) => ms.toFixed(0)).join(" ")} ms`);
  for (const ended of await Promise.all(lanes)) assert.ok(ended > 0);
  assert.equal(rig.pool.stats().killed, 0);
});

test("an organization has so many runs waiting and no more: the next one fails at once", async (t) => {
  const rig = await startPool(t, { processes: 2, runsPerProcess: 2, waitingPerOrganization: 3 });
  const idle = Array.from({ length: 5 }, () => rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS }));
  await rig.running(2);
  assert.equal(rig.pool.stats().queued, 3);
  const refused = await rig.attempt(NEVER, { organizationId: "org_a", limitMs: LONG_MS });
  assert.equal((refused.thrown as Fault).code, "function.overloaded");
  assert.equal((await rig.attempt("() => ({})", { organizationId: "org_b", limitMs: LONG_MS })).json, "{}");
  await rig.pool.close();
  await Promise.all(idle);
});

test("runs that are granted much memory are no more at once than their process can hold", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const runs = [1, 2, 3].map(() => rig.attempt(NEVER, { memoryMb: 256, limitMs: LONG_MS }));
  runs.push(rig.attempt(NEVER, { limitMs: LONG_MS }));
  await rig.running(3);
  assert.deepEqual([rig.pool.stats().active, rig.pool.stats().queued], [3, 1]);
  await rig.pool.close();
  await Promise.all(runs);
});

test("the threads of functions come after the service, and after other organizations' where they compute all the time", async (t) => {
  if (process.platform !== "linux") return t.skip("only Linux has priorities of threads");
  const own = getPriority();
  if (own > 9) return t.skip("there are not enough lower priorities");
  const rig = await startPool(t, { processes: 2 });
  const loops = [1, 2].map(() =>
    rig.attempt("() => { for (;;); }", { organizationId: "org_computes", limitMs: LONG_MS }),
  );
  const waits = rig.attempt(NEVER, { limitMs: LONG_MS });
  await rig.running(3);
  const prioritiesOf = (pid: number): string => {
    const lower = readdirSync(`/proc/${pid}/task`).map((thread) => getPriority(Number(thread)) - own);
    return [...new Set(lower)].sort((a, b) => a - b).join(" ");
  };
  let found: string[];
  do {
    await new Promise((resolve) => setTimeout(resolve, 50));
    found = rig.pool.stats().pids.map(prioritiesOf);
    // Threads are lowered one after the other.
  } while (found[0] !== PRIORITIES.computing);
  assert.equal(found[1], PRIORITIES.usual);
  await rig.pool.close();
  await Promise.all([...loops, waits]);
});
