import assert from "node:assert/strict";
import { test } from "node:test";
import { CpuUse } from "./cpu-use.ts";

test("who waits for a processor is not counted as if he used it", () => {
  let processMs = 1_000;
  const use = new CpuUse(() => processMs);
  for (let run = 0; run < 9; run += 1) use.add("org_a/computes", 250);
  use.add("org_b/waits", 250);
  processMs += 500;

  assert.deepEqual(use.report(), [
    { isolate: "org_a/computes", cpuMs: 450 },
    { isolate: "org_b/waits", cpuMs: 50 },
  ]);
  assert.deepEqual(use.report(), [], "nothing is reported twice");
});

test("nobody is charged what the process uses for itself", () => {
  let processMs = 0;
  const use = new CpuUse(() => processMs);
  use.add("org_a/f", 20);
  processMs += 400;

  assert.deepEqual(use.report(), [{ isolate: "org_a/f", cpuMs: 20 }]);
});
