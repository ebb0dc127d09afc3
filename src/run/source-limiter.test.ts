import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { leasesInMemory, MemoryLeases } from "../limits/sources/source-leases.kit.ts";
import type { SourceLimits } from "../sdk/source.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { SourceLimiter, type CallPermit } from "./source-limiter.ts";

const WAIT_MS = 1_000;

const PERIOD_MS = 60_000;

/** The limits of one source, in a deployment of one process. */
function turnsOf(
  { concurrency, rate = [] }: Pick<SourceLimits, "concurrency" | "rate">,
  clock: FakeClock,
): SourceLimiter {
  const { leaseOf } = leasesInMemory(clock);
  const limit = (name: string, max: number, everyMs: number | null) => {
    return { lease: leaseOf({ name, max, everyMs, useMsMax: 10_000 }, "anyone"), max, isRate: everyMs !== null };
  };
  const rates = rate.map(({ max, every_ms: everyMs }, at) => limit(`rate ${at}`, max, everyMs));
  return new SourceLimiter(
    concurrency === undefined ? rates : [limit("concurrency", concurrency, null), ...rates],
    clock,
    true,
  );
}

interface Entered {
  /** "waits", "in", or the code of a fault. */
  outcome: string;
  leave(): void;
}

/** Enters, and waits until all promises that can settle have settled. */
async function enter(turns: SourceLimiter, owner: string, clock: FakeClock): Promise<Entered> {
  const entered = enterNow(turns, owner, clock);
  await settle();
  return entered;
}

function enterNow(turns: SourceLimiter, owner: string, clock: FakeClock): Entered {
  const entered: Entered = { outcome: "waits", leave: () => assert.fail("it is not in") };
  const isIn = (turn: CallPermit): void => void Object.assign(entered, { outcome: "in", leave: () => turn.leave() });
  const ended = (fault: unknown): void => void (entered.outcome = fault instanceof Fault ? fault.code : String(fault));
  const ask = { owner, deadlineAt: clock.now() + 10_000, waitMaxMs: WAIT_MS };
  void turns.enter(ask, clock.now()).then(isIn, ended);
  return entered;
}

async function enterMany(turns: SourceLimiter, owner: string, count: number, clock: FakeClock): Promise<Entered[]> {
  const entered = Array.from({ length: count }, () => enterNow(turns, owner, clock));
  await settle();
  return entered;
}

function inside(entered: readonly Entered[]): number {
  return entered.filter(({ outcome }) => outcome === "in").length;
}

test("a single organization may use every place, and waiting calls go on as places become free", async () => {
  const clock = new FakeClock();
  const calls = await enterMany(turnsOf({ concurrency: 4 }, clock), "a", 6, clock);
  assert.equal(inside(calls), 4);

  calls[0]!.leave();
  await settle();

  assert.equal(inside(calls), 5);
});

test("a second organization gets the next free place, however many calls of the first wait", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ concurrency: 4 }, clock);
  const first = await enterMany(turns, "a", 100, clock);
  const second = await enter(turns, "b", clock);

  first[0]!.leave();
  await settle();

  assert.equal(second.outcome, "in");
  assert.equal(inside(first), 4);
});

test("a call that waits in vain is refused after a second, and one too many at once", async () => {
  const clock = new FakeClock();
  const calls = await enterMany(turnsOf({ concurrency: 1 }, clock), "a", 400, clock);
  assert.ok(calls.filter(({ outcome }) => outcome === "source.queue_full").length >= 100);
  assert.ok(calls.filter(({ outcome }) => outcome === "waits").length > 100);

  await clock.advance(WAIT_MS);

  assert.equal(calls.filter(({ outcome }) => outcome === "source.queue_full").length, 399);
});

test("a flood of first calls waits for the store, however many they are, and goes on when it answers", async () => {
  const clock = new FakeClock();
  const store = new MemoryLeases(clock.wall);
  const answered = Promise.withResolvers<void>();
  const { leaseOf } = leasesInMemory(clock, {
    freeUnits: () => answered.promise,
    exchange: (asks, rule) => store.exchange(asks, rule),
  });
  const lease = leaseOf({ name: "rate", max: 10_000, everyMs: PERIOD_MS, useMsMax: 0 }, "anyone");
  const turns = new SourceLimiter([{ lease, max: 10_000, isRate: true }], clock, true);
  const calls = await enterMany(turns, "a", 2_000, clock);
  assert.equal(calls.filter(({ outcome }) => outcome === "waits").length, 2_000);

  answered.resolve();
  await settle();

  assert.equal(inside(calls), 2_000);
});

test("a rate leaves some for the next organization, even during a flood", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ rate: [{ per: "source", max: 10, every_ms: PERIOD_MS }] }, clock);
  assert.equal(inside(await enterMany(turns, "a", 50, clock)), 10);
  assert.equal((await enter(turns, "b", clock)).outcome, "source.rate_limited_here");

  for (let period = 0; period < 3; period += 1) {
    await clock.advance(PERIOD_MS);
    assert.ok(inside(await enterMany(turns, "a", 50, clock)) >= 5);
    assert.equal(inside(await enterMany(turns, "b", 2, clock)), 2);
  }
});

test("a rate of one call is shared round-robin", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ rate: [{ per: "source", max: 1, every_ms: 400 }] }, clock);
  let flood: Entered[] = [];
  let served = 0;
  for (let round = 0; round < 10; round += 1) {
    flood = await enterMany(turns, "a", 40, clock);
    const one = await enter(turns, "b", clock);
    await clock.advance(1_000);
    if (one.outcome === "in") served += 1;
  }
  assert.equal(served, 10);
  assert.equal(inside(flood) <= 2, true);
});

test("a call waits for the next period of a rate if it begins in time, and otherwise not at all", async () => {
  for (const [everyMs, outcome] of [
    [800, "waits"],
    [600_000, "source.rate_limited_here"],
  ] as const) {
    const clock = new FakeClock();
    const turns = turnsOf({ rate: [{ per: "source", max: 2, every_ms: everyMs }] }, clock);
    await enterMany(turns, "a", 2, clock);

    const third = await enter(turns, "a", clock);

    assert.equal(third.outcome, outcome);
    await clock.advance(WAIT_MS);
    assert.equal(third.outcome, outcome === "waits" ? "in" : outcome);
  }
});

test("a call that is refused for lack of a place counts towards no rate", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ concurrency: 1, rate: [{ per: "source", max: 2, every_ms: 600_000 }] }, clock);
  const first = await enter(turns, "a", clock);
  await enter(turns, "a", clock);
  await clock.advance(WAIT_MS);
  first.leave();

  const third = await enter(turns, "a", clock);
  assert.equal(third.outcome, "in");
  third.leave();
  assert.equal((await enter(turns, "a", clock)).outcome, "source.rate_limited_here");
});

test("a call goes on with what is leased while the store is away, and then is refused at once", async () => {
  const clock = new FakeClock();
  const store = new MemoryLeases(clock.wall);
  const { leaseOf } = leasesInMemory(clock, store);
  const lease = leaseOf({ name: "rate", max: 1_000, everyMs: 600_000, useMsMax: 0 }, "anyone");
  const turns = new SourceLimiter([{ lease, max: 1_000, isRate: true }], clock, true);
  assert.equal(inside(await enterMany(turns, "a", 4, clock)), 4);
  store.exchange = () => Promise.reject(new Error("away"));
  await clock.advance(50);

  const leased = store.leased("rate", clock.wall() - (clock.wall() % 600_000)) - 4;
  const calls = await enterMany(turns, "a", leased + 4, clock);

  assert.equal(inside(calls), leased);
  assert.ok(calls.slice(leased).every(({ outcome }) => outcome === "source.limits_unknown"));
  assert.equal((await enter(turns, "a", clock)).outcome, "source.limits_unknown");
});

test("nothing runs while nothing is called", async () => {
  const clock = new FakeClock();
  const turns = turnsOf({ concurrency: 3, rate: [{ per: "source", max: 5, every_ms: 600_000 }] }, clock);
  for (const call of await enterMany(turns, "a", 3, clock)) call.leave();

  await clock.advance(10_000);

  assert.equal(clock.timers, 0);
});

test("the vendor's limits hold for any order of arriving, waiting and leaving", async () => {
  const step = fc.record({ owner: fc.nat(4), kind: fc.constantFrom("enter", "leave", "pass") });
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 8 }),
      fc.array(step, { maxLength: 120 }),
      async (concurrency, max, steps) => {
        const clock = new FakeClock();
        const turns = turnsOf({ concurrency, rate: [{ per: "source", max, every_ms: 1_000 }] }, clock);
        const all: { owner: string; entered: Entered; left: boolean; counted: boolean }[] = [];
        const byPeriod = new Map<number, number>();
        for (const { owner, kind } of steps) {
          const name = `o${owner}`;
          if (kind === "enter")
            all.push({ owner: name, entered: await enter(turns, name, clock), left: false, counted: false });
          else if (kind === "pass") await clock.advance(100);
          else {
            const one = all.find((call) => call.owner === name && !call.left && call.entered.outcome === "in");
            if (one !== undefined) {
              one.left = true;
              one.entered.leave();
            }
          }
          await settle();
          const under = all.filter(({ entered, left }) => entered.outcome === "in" && !left).length;
          const period = Math.floor(clock.wall() / 1_000);
          for (const call of all) {
            if (call.counted || call.entered.outcome !== "in") continue;
            call.counted = true;
            byPeriod.set(period, (byPeriod.get(period) ?? 0) + 1);
          }
          assert.ok(under <= concurrency);
          assert.ok((byPeriod.get(period) ?? 0) <= max);
        }
        await clock.advance(WAIT_MS);
        assert.ok(all.every(({ entered }) => entered.outcome !== "waits"));
      },
    ),
    { numRuns: 60 },
  );
});
