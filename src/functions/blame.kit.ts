import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Fault } from "../terms/fault.ts";
import type { PoolRig, Tried } from "./pool/pool.kit.ts";

/** A typical function: a source call of 60 ms and 20 ms of work. */
const SMALL = `async ({ run }) => {
  await run("wait_60");
  const until = performance.now() + 20;
  while (performance.now() < until);
  return {};
}`;

export function codeOf({ thrown }: Tried): string {
  return thrown === undefined ? "ok" : (thrown as Fault).code;
}

/**
 * Runs it over and over for another organization, four at a time, until `stop`, which returns how often each outcome
 * came.
 */
export function keepRunning(t: TestContext, rig: PoolRig): { stop(): Promise<Record<string, number>> } {
  const ends: Record<string, number> = {};
  let stopped = false;
  // A test that fails must not go on running it.
  t.after(() => (stopped = true));
  const lane = async () => {
    while (!stopped) {
      const tried = await rig.attempt(SMALL, { organizationId: "org_small", limitMs: 20_000 });
      const end =
        tried.thrown === undefined ? "ok" : `${codeOf(tried)}: ${((tried.thrown as Fault).cause as Error).message}`;
      ends[end] = (ends[end] ?? 0) + 1;
      // A pool that was closed refuses at once, and nothing else would have its turn.
      await new Promise(setImmediate);
    }
  };
  const lanes = [lane(), lane(), lane(), lane()];
  return {
    stop: async () => {
      stopped = true;
      await Promise.all(lanes);
      return ends;
    },
  };
}

export function assertUnharmed(rig: PoolRig, ends: Record<string, number>): void {
  assert.deepEqual(Object.keys(ends), ["ok"], JSON.stringify([ends, rig.lines]));
  const struck = rig.lines.filter(
    ({ event, isolate }) => event === "function_quarantined" && /org_small/.test(String(isolate)),
  );
  assert.deepEqual(struck, []);
}
