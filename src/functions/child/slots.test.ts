import assert from "node:assert/strict";
import { test } from "node:test";
import { preparePrelude } from "../load/bundle-cache.ts";
import { startRun } from "./child-run.ts";
import { until } from "../../../test/rig/until.ts";
import { createSlots, type Slots } from "./slots.ts";

async function run(slots: Slots, bundle: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const job = {
    type: "run",
    id: 1,
    what: "start",
    isolate: `org/${bundle}`,
    bundle,
    memoryMb: 64,
    argument: "{}",
  } as const;
  startRun(job, slots, () => {}, resolve);
  await promise;
}

/** How often the isolate of the second of two runs was used before. */
async function usesOf(code: string): Promise<number> {
  const slots = createSlots();
  slots.setPrelude(await preparePrelude(undefined));
  slots.addBundle("one", `__take(function () { return { default: { run: ${code} } }; });`, null);
  await run(slots, "one");
  const { slot } = await slots.take("org/one", "one", 64);
  slot.isolate.dispose();
  return slot.contexts;
}

test("an isolate is used again", async () => {
  assert.equal(await usesOf("() => ({})"), 2);
});

test("an isolate in which a run has left much is not used again", async () => {
  const keeps =
    "() => { globalThis.kept = Array.from({ length: 300_000 }, (_, n) => ({ n, text: 'row ' + n })); return {}; }";
  // V8 may have collected what the run left before it is measured: then the isolate may be used again.
  await until(async () => (await usesOf(keeps)) === 1);
});
