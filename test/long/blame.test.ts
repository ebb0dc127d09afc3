import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { assertUnharmed, codeOf, keepRunning } from "../../src/functions/blame.kit.ts";
import { startPool } from "../../src/functions/pool/pool.kit.ts";

const FILLS = `async ({ inputs, run }) => {
  if (inputs.isFirst) return {};
  await run("wait_1500");
  const kept = [];
  for (let n = 0; n < inputs.buffers; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
  await run("wait_1500");
  return { n: kept.length };
}`;

/** Their limits, and what the attacker has: a low limit, and everything that one organization may have by default. */
const ATTACKS = {
  "forty megabytes each, three times what is noticed": { options: { childMemoryMb: 120 }, runs: 16, buffers: 10 },
  "all that each of sixty-four may": { options: { children: 2 }, runs: 64, buffers: 15 },
};

for (const [name, { options, runs, buffers }] of Object.entries(ATTACKS)) {
  test(`who has all his runs fill a process in one moment loses these, and who waits beside them nothing: ${name}`, async (t) => {
    const rig = await startPool(t, { children: 1, spares: 1, ...options });
    const hog = { organizationId: "org_hog", limitMs: 20_000 };
    // Of a function that is new, only a few are begun at once.
    await rig.attempt(FILLS, { ...hog, argument: { inputs: { isFirst: true } } });
    await sleep(600);
    const waits = Array.from({ length: 6 }, (_, at) =>
      rig.attempt(`async ({ run }) => { await run("wait_${7_000 + at}"); return {}; }`, { limitMs: 60_000 }),
    );
    const small = keepRunning(t, rig);
    const fill = () => rig.attempt(FILLS, { ...hog, argument: { inputs: { buffers } } });
    const hogs = await Promise.all(Array.from({ length: runs }, fill));
    assert.deepEqual((await Promise.all(waits)).map(codeOf), Array(6).fill("ok"), JSON.stringify(rig.lines));
    assertUnharmed(rig, await small.stop());
    assert.ok(hogs.map(codeOf).includes("function.memory"));
  });
}
