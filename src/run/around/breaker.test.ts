import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { Answer, PlannedCall, RunnableSource } from "../ports.ts";
import { withBreaker } from "./breaker.ts";
import { withSourceLimits } from "./limits.ts";

const SOURCE = { id: "acme__people", leavesMachine: true } as RunnableSource;
const FOUND: Answer = { match: true, json: "{}" };

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
