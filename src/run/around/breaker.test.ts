import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../../terms/clock.ts";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { Answer, PlannedCall, RunnableSource } from "../ports.ts";
import { withBreaker } from "./breaker.ts";
import { withSourceLimits } from "./limits.ts";

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

/** A call by an organization with a credential that it may have made up. */
function by(organizationId: string, credential: string): PlannedCall {
  const run = { simulated: false, caller: { organizationId } };
  return { id: SOURCE.id, run, credential: { scope: `${organizationId}/${credential}` }, attempts: [{}] } as never;
}

test("credentials made up without end cost no other organization its breakers or its rates", async () => {
  const clock = new FakeClock();
  const failing = withBreaker(clock)(async () => {
    throw new Fault("source.vendor_5xx", { status: 500 });
  });
  const rate = [{ max: 1, every_ms: 3_600_000, per: "credential" as const }];
  const limited = withSourceLimits(clock)(async () => FOUND);
  const source = { ...SOURCE, declaration: { limits: { rate } } } as unknown as RunnableSource;
  for (let count = 0; count < 20; count += 1) await assert.rejects(failing(SOURCE, by("org_b", "key")));
  await limited(source, by("org_b", "key"));
  for (let made = 0; made < 12_000; made += 1) {
    await assert.rejects(failing(SOURCE, by("org_a", `made up ${made}`)));
    await limited(source, by("org_a", `made up ${made}`));
  }
  await assert.rejects(failing(SOURCE, by("org_b", "key")), { code: "source.breaker_open" });
  await assert.rejects(limited(source, by("org_b", "key")), { code: "source.rate_limited_here" });
});
