import assert from "node:assert/strict";
import { test } from "node:test";
import { preparePrelude } from "../load/bundle-cache.ts";
import { startRun } from "./child-run.ts";
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

test("an isolate is used again, but not one in which a run has left much", async () => {
  const slots = createSlots();
  slots.setPrelude(await preparePrelude(undefined));
  for (const [bundle, code] of [
    ["small", "() => ({})"],
    [
      "large",
      "() => { globalThis.kept = Array.from({ length: 300_000 }, (_, n) => ({ n, text: 'row ' + n })); return {}; }",
    ],
  ] as const) {
    slots.addBundle(bundle, `__take(function () { return { default: { run: ${code} } }; });`, null);
    await run(slots, bundle);
    const { slot } = await slots.take(`org/${bundle}`, bundle, 64);
    assert.equal(slot.contexts, bundle === "small" ? 2 : 1, bundle);
    slot.isolate.dispose();
  }
});
