import assert from "node:assert/strict";
import { test } from "node:test";
import { assertUnharmed, codeOf, keepRunning, readyToFill } from "../../src/functions/blame.kit.ts";
import { startPool } from "../../src/functions/pool/pool.kit.ts";

/** Their limits, and what the attacker has: a low limit, and everything that one organization may have by default. */
const ATTACKS = {
  "forty megabytes each, three times what is noticed": { options: { childMemoryMb: 120 }, runs: 16, buffers: 10 },
  "all that each of sixty-four may": { options: { children: 2 }, runs: 64, buffers: 15 },
};

for (const [name, { options, ...filling }] of Object.entries(ATTACKS)) {
  test(`who has all his runs fill a process in one moment loses these, and who waits beside them nothing: ${name}`, async (t) => {
    const rig = await startPool(t, { children: 1, spares: 1, ...options });
    const fill = await readyToFill(rig);
    const waits = Array.from({ length: 6 }, (_, at) =>
      rig.attempt(`async ({ run }) => { await run("wait_${7_000 + at}"); return {}; }`, { limitMs: 60_000 }),
    );
    const small = keepRunning(t, rig);
    const hogs = await fill({ ...filling, waitMs: 1_500 });
    assert.deepEqual((await Promise.all(waits)).map(codeOf), Array(6).fill("ok"), JSON.stringify(rig.lines));
    assertUnharmed(rig, await small.stop());
    assert.ok(hogs.map(codeOf).includes("function.memory"));
  });
}
