import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fault } from "../../src/terms/fault.ts";
import { OF_A_PROCESS, OF_A_RUN } from "../../src/functions/containment.kit.ts";
import { startPool } from "../../src/functions/pool/pool.kit.ts";
import { openLoop, percentile, type Sample } from "./open-loop.ts";

/** Of one organization, while another runs each attack over and over, so many at once. */
const PER_SECOND = 25;
const AT_ONCE = 8;
const EACH_MS = 2_000;
/** Between attacks: the same without one. */
const CALM_MS = 1_000;
const LIMIT_MS = 350;
const SLACK_MS = 50;
const QUIET = `async ({ run }) => { await run("wait_20"); return {}; }`;

test("beside every attack that is known, another organization loses no run and hardly waits longer", async (t) => {
  const rig = await startPool(t, { processes: 2 });
  const lost: string[] = [];
  const ask = (during: string) => async () => {
    const { thrown } = await rig.attempt(QUIET, { organizationId: "org_quiet", limitMs: 20_000 });
    if (thrown !== undefined) lost.push(`${during}: ${(thrown as Fault).code}`);
    return { statusCode: thrown === undefined ? 200 : 500 };
  };
  await openLoop(PER_SECOND, CALM_MS, ask("nothing"));
  const [calm, noisy]: [Sample[], Sample[]] = [[], []];
  for (const { name, run } of [...OF_A_RUN, ...OF_A_PROCESS]) {
    calm.push(...(await openLoop(PER_SECOND, CALM_MS, ask(`nothing, before ${name}`))));
    let goesOn = true;
    const lane = async () => {
      while (goesOn) await rig.attempt(run, { organizationId: "org_attacker", limitMs: LIMIT_MS });
    };
    const lanes = Array.from({ length: AT_ONCE }, lane);
    const beside = await openLoop(PER_SECOND, EACH_MS, ask(name));
    goesOn = false;
    await Promise.all(lanes);
    await rig.settled();
    t.diagnostic(`${name}: ${Math.max(...beside.map(({ tookMs }) => tookMs)).toFixed(0)} ms at the longest`);
    noisy.push(...beside);
  }
  const [calmMs, noisyMs] = [percentile(calm, 0.99), percentile(noisy, 0.99)];
  t.diagnostic(
    `99 % of ${calm.length} runs took at most ${calmMs} ms, and of ${noisy.length} beside attacks ${noisyMs}`,
  );
  assert.deepEqual(lost, []);
  assert.ok(noisyMs <= 2 * calmMs + SLACK_MS);
});
