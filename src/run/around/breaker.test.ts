import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../terms/clock.ts";
import { Fault } from "../../terms/fault.ts";
import type { Answer, PlannedCall, RunnableSource } from "../ports.ts";
import { withBreaker } from "./breaker.ts";

const SOURCE = { id: "acme__people", leavesMachine: true } as RunnableSource;
const FOUND: Answer = { match: true, json: "{}" };

function call(simulated: boolean): PlannedCall {
  const run = { simulated, caller: { organizationId: "org_1" } };
  return { id: SOURCE.id, run, credential: null, attempts: [{}] } as never;
}

test("failures of simulated vendors keep no real call back, and a failing vendor no simulated one", async () => {
  for (const failing of [true, false]) {
    const fails = ({ run }: PlannedCall) => run.simulated === failing;
    const breaker = withBreaker(systemClock);
    const run = breaker(async (_, asked) => {
      if (fails(asked)) throw new Fault("source.vendor_5xx", { status: 500 });
      return FOUND;
    });
    for (let count = 0; count < 20; count += 1) await assert.rejects(run(SOURCE, call(failing)));
    assert.equal(await run(SOURCE, call(!failing)), FOUND);
    assert.equal(breaker.openCount(), failing ? 0 : 1);
  }
});
