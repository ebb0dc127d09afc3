import assert from "node:assert/strict";
import { test } from "node:test";
import { leasesInMemory } from "../../limits/sources/source-leases.kit.ts";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { Fault } from "../../terms/fault.ts";
import type { CallResult, PlannedCall, RunnableSource } from "../ports.ts";
import { Breaker, BREAKER_LIMITS, withBreaker } from "./breaker.ts";
import { withSourceLimits } from "./source-limits.ts";

const SOURCE = { id: "acme__people", leavesMachine: true } as RunnableSource;
const FOUND: CallResult = { match: true, json: "{}" };

/** A call by an organization with a credential that it may have invented. */
function by(organizationId: string, credential: string): PlannedCall {
  const run = { simulated: false, caller: { organizationId } };
  return { id: SOURCE.id, run, credential: { scope: `${organizationId}/${credential}` }, attempts: [{}] } as never;
}

test("an organization that invents credentials without end removes no breakers or rates of others", async () => {
  const clock = new FakeClock();
  const failing = withBreaker(clock)(async () => {
    throw new Fault("source.vendor_5xx", { status: 500 });
  });
  const rate = [{ max: 1, every_ms: 3_600_000, per: "credential" as const }];
  const limited = withSourceLimits(leasesInMemory(clock).leaseOf, clock)(async () => FOUND);
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

test("open breakers are listed by source and organization, with how long calls have been refused", async () => {
  const clock = new FakeClock();
  let fails = true;
  const around = withBreaker(clock);
  const calling = around(async () => {
    if (fails) throw new Fault("source.vendor_5xx", { status: 500 });
    return FOUND;
  });
  for (let count = 0; count < 20; count += 1) await assert.rejects(calling(SOURCE, by("org_b", "key")));
  const told = (openForMs: number) => [{ source: SOURCE.id, organizationId: "org_b", openForMs }];
  assert.deepEqual(around.open(), told(0));
  // From then on the next call would be sent.
  await clock.advance(5_000);
  assert.deepEqual(around.open(), []);
  // A probe that fails keeps the breaker open, and does not change since when it has been open.
  await clock.advance(1_000);
  await assert.rejects(calling(SOURCE, by("org_b", "key")), { code: "source.vendor_5xx" });
  assert.deepEqual(around.open(), told(6_000));
  // Without calls for a long time, none was refused.
  await clock.advance(3_600_000);
  assert.deepEqual(around.open(), []);
  await assert.rejects(calling(SOURCE, by("org_b", "key")), { code: "source.vendor_5xx" });
  await clock.advance(4_000);
  assert.deepEqual(around.open(), told(4_000));
  fails = false;
  await clock.advance(60_000);
  await calling(SOURCE, by("org_b", "key"));
  assert.deepEqual(around.open(), []);
});

test("while one call probes, the others are still refused and the breaker is listed as open", async () => {
  const clock = new FakeClock();
  const around = withBreaker(clock);
  const answer = Promise.withResolvers<CallResult>();
  let fails = true;
  const calling = around(async () => {
    if (fails) throw new Fault("source.vendor_5xx", { status: 500 });
    return answer.promise;
  });
  for (let count = 0; count < 20; count += 1) await assert.rejects(calling(SOURCE, by("org_b", "key")));
  fails = false;
  await clock.advance(5_000);
  const probe = calling(SOURCE, by("org_b", "key"));
  assert.deepEqual(around.open(), [{ source: SOURCE.id, organizationId: "org_b", openForMs: 5_000 }]);
  answer.resolve(FOUND);
  await probe;
  assert.deepEqual(around.open(), []);
});

test("what says nothing against the vendor opens no breaker: inputs, credentials, rates, or an adapter's mistake", async () => {
  for (const code of ["source.input_invalid", "source.vendor_4xx", "source.rate_limited", null] as const) {
    const around = withBreaker(new FakeClock());
    const calling = around(() => Promise.reject(code === null ? new TypeError("a mistake") : new Fault(code)));
    for (let count = 0; count < 30; count += 1) await assert.rejects(calling(SOURCE, by("org_b", "key")));
    assert.deepEqual(around.open(), [], String(code));
  }
});

/** The era of a call that must be admitted. */
function admitted(breaker: Breaker, now: number): number {
  const era = breaker.admit(now);
  assert.notEqual(era, null);
  return era!;
}

function fail(breaker: Breaker, times: number, now: number): void {
  for (let call = 0; call < times; call += 1) {
    breaker.ended(admitted(breaker, now), now, true);
  }
}

test("a breaker opens at half of twenty calls within ten seconds, not before", () => {
  const breaker = new Breaker();
  for (let call = 0; call < 10; call += 1) breaker.ended(admitted(breaker, 1000), 1000, false);
  fail(breaker, 9, 2000);
  assert.equal(breaker.isOpen, false);
  fail(breaker, 1, 3000);
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.admit(3001), null);
});

test("failures that have left the window do not count", () => {
  const breaker = new Breaker();
  fail(breaker, 19, 1000);
  fail(breaker, 1, 1000 + BREAKER_LIMITS.windowMs + 1000);
  assert.equal(breaker.isOpen, false);
});

test("after five seconds exactly one call probes, and a good one closes it", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 1000);
  assert.equal(breaker.admit(5999), null);
  const probe = admitted(breaker, 6000);
  assert.equal(breaker.admit(6000), null, "the probe is under way");
  breaker.ended(probe, 6100, false);
  assert.equal(breaker.isOpen, false);
  admitted(breaker, 6100);
});

test("each failed probe doubles the pause, up to a minute", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 0);
  let now = 0;
  for (const pauseMs of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    assert.equal(breaker.admit(now + pauseMs - 1), null);
    now += pauseMs;
    fail(breaker, 1, now);
  }
});

test("a probe that never reached the vendor decides nothing, and the next call is the probe", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 0);
  breaker.ended(admitted(breaker, 5000), 5000, undefined);
  assert.equal(breaker.isOpen, true);
  admitted(breaker, 5001);
});

test("no-matches and refusals for bad inputs never open it", () => {
  const breaker = new Breaker();
  for (let call = 0; call < 100; call += 1) breaker.ended(admitted(breaker, 1000), 1000, false);
  for (let call = 0; call < 100; call += 1) breaker.ended(admitted(breaker, 1000), 1000, undefined);
  assert.equal(breaker.isOpen, false);
});

test("a call from before it opened is not taken for the probe, whatever its result", () => {
  const breaker = new Breaker();
  const slow = [admitted(breaker, 0), admitted(breaker, 0)];
  fail(breaker, 20, 0);
  const probe = admitted(breaker, 5000);
  breaker.ended(slow[0]!, 5001, false);
  assert.equal(breaker.isOpen, true, "an old success is not a sign of life");
  breaker.ended(slow[1]!, 5002, true);
  breaker.ended(probe, 5003, false);
  assert.equal(breaker.isOpen, false, "an old failure does not stand for the probe");
});

test("failures of calls from before it opened do not count once it has closed again", () => {
  const breaker = new Breaker();
  const slow = Array.from({ length: 20 }, () => admitted(breaker, 0));
  fail(breaker, 20, 0);
  breaker.ended(admitted(breaker, 5000), 5000, false);
  for (const era of slow) breaker.ended(era, 6000, true);
  assert.equal(breaker.isOpen, false);
});
