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

/** Waits, holds so many buffers of 4 MB, and waits again. */
const FILLS = `async ({ inputs, run }) => {
  await run("wait_" + inputs.waitMs);
  const kept = [];
  for (let n = 0; n < inputs.buffers; n += 1) kept.push(new Uint8Array(4_000_000).fill(1));
  await run("wait_" + inputs.waitMs);
  return { n: kept.length };
}`;
/** By then it is known what a function needs. */
const KNOWN_MS = 600;

export interface Filling {
  readonly runs: number;
  /** What each of them takes, in buffers of 4 MB. */
  readonly buffers: number;
  /** How long they wait before and after. */
  readonly waitMs: number;
}

/** Of a function that is new, only a few runs are begun at once: so it runs once without taking anything. */
export async function readyToFill(rig: PoolRig): Promise<(filling: Filling) => Promise<Tried[]>> {
  const fill = (inputs: object): Promise<Tried> =>
    rig.attempt(FILLS, { organizationId: "org_hog", limitMs: 20_000, argument: { inputs } });
  await fill({ waitMs: 0, buffers: 0 });
  await new Promise((resolve) => setTimeout(resolve, KNOWN_MS));
  return ({ runs, ...inputs }) => Promise.all(Array.from({ length: runs }, () => fill(inputs)));
}

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
