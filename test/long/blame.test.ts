import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertUnharmed, codeOf, keepRunning } from "../../src/functions/blame.kit.ts";
import { startPool } from "../../src/functions/pool/pool.kit.ts";

// On a machine that does nothing else: on a busy one, threads that are to leave may not get the time to, and then the
// process is killed, as the last resort, with whoever runs in it.
test("who has all his runs fill a process in one moment loses these, and who waits beside them nothing", async (t) => {
  // A low limit, so that the test itself need not take gigabytes.
  const rig = await startPool(t, { children: 1, spares: 1, childMemoryMb: 120 });
  const fills = `async ({ inputs, run }) => {
    if (inputs.isFirst) return {};
    await run("wait_1500");
    const kept = [];
    for (let n = 0; n < 10; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
    await run("wait_1500");
    return { n: kept.length };
  }`;
  const hog = { organizationId: "org_hog", limitMs: 20_000 };
  // Of a function that is new, only a few are begun at once.
  await rig.attempt(fills, { ...hog, argument: { inputs: { isFirst: true } } });
  await sleep(600);
  const waits = Array.from({ length: 6 }, (_, at) =>
    rig.attempt(`async ({ run }) => { await run("wait_${7_000 + at}"); return {}; }`, { limitMs: 60_000 }),
  );
  const small = keepRunning(t, rig);
  const hogs = await Promise.all(Array.from({ length: 16 }, () => rig.attempt(fills, hog)));
  assert.deepEqual((await Promise.all(waits)).map(codeOf), Array(6).fill("ok"), JSON.stringify(rig.lines));
  assertUnharmed(rig, await small.stop());
  assert.ok(hogs.map(codeOf).includes("function.memory"));
});
