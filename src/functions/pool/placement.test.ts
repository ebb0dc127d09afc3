import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Demands } from "./demands.ts";
import { Placement } from "./placement.ts";
import { createQuarantine } from "./quarantine.ts";
import type { Running } from "./running.ts";

test("while no process is open, a run waits for the first one, and none is set apart for it", () => {
  const clock = new FakeClock();
  const placement = new Placement(new Set(), {
    now: clock.now,
    quarantine: createQuarantine(clock),
    demands: new Demands(clock),
    children: 2,
    runsPerChild: 64,
    apart: 4,
    waitingPerOrganization: 256,
  });
  const job = { what: "start", organizationId: "org_a", isolate: "org_a/x", memoryMb: 64 };
  assert.ok(placement.add({ job, over: false } as unknown as Running));
  assert.equal(placement.lacksApart, false);
  assert.equal(placement.next(), undefined);
});
