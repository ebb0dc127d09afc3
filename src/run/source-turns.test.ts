import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { FakeClock, settle } from "../terms/clock.kit.ts";
import { Fault } from "../terms/fault.ts";
import { SourceTurns } from "./source-turns.ts";

const WAIT_MS = 1_000;

/** Enters, and returns the result: "waits", "in", or the code of a fault. */
function enter(turns: SourceTurns, owner: string): { outcome: string } {
  const result: { outcome: string } = { outcome: "waits" };
  const ended = (fault: unknown): void => void (result.outcome = fault instanceof Fault ? fault.code : String(fault));
  try {
    const wait = turns.enter(owner, WAIT_MS);
    if (wait === null) result.outcome = "in";
    else wait.then(() => (result.outcome = "in"), ended);
  } catch (fault) {
    ended(fault);
  }
  return result;
}

function enterMany(turns: SourceTurns, owner: string, count: number): { outcome: string }[] {
  return Array.from({ length: count }, () => enter(turns, owner));
}

function inside(entered: readonly { outcome: string }[]): number {
  return entered.filter(({ outcome }) => outcome === "in").length;
}

test("a single organization may use every place, and waiting calls go on as places become free", async () => {
  const turns = new SourceTurns({ concurrency: 4 }, new FakeClock());
  const calls = enterMany(turns, "a", 6);
  assert.equal(inside(calls), 4);

  turns.leave("a");
  await settle();

  assert.equal(inside(calls), 5);
});

test("a second organization gets the next free place, however many calls of the first wait", async () => {
  const turns = new SourceTurns({ concurrency: 4 }, new FakeClock());
  const first = enterMany(turns, "a", 100);
  const second = enter(turns, "b");

  turns.leave("a");
  await settle();

  assert.equal(second.outcome, "in");
  assert.equal(inside(first), 4);
});

test("a call that waits in vain is refused after a second, and one too many at once", async () => {
  const clock = new FakeClock();
  const turns = new SourceTurns({ concurrency: 1 }, clock);
  const calls = enterMany(turns, "a", 400);
  assert.ok(calls.filter(({ outcome }) => outcome === "source.queue_full").length >= 100);
  assert.ok(calls.filter(({ outcome }) => outcome === "waits").length > 100);

  await clock.advance(WAIT_MS);

  assert.equal(calls.filter(({ outcome }) => outcome === "source.queue_full").length, 399);
  assert.equal(clock.timers, 0);
});

test("a rate of many tokens leaves some for the next organization, even during a flood", async () => {
  const clock = new FakeClock();
  const turns = new SourceTurns({ rate: [{ per: "source", max: 10, every_ms: 60_000 }] }, clock);
  assert.equal(inside(enterMany(turns, "a", 50)), 10);
  assert.equal(enter(turns, "b").outcome, "source.rate_limited_here");

  const flood: { outcome: string }[] = [];
  for (let second = 0; second < 120; second += 1) {
    await clock.advance(1_000);
    flood.push(...enterMany(turns, "a", 20));
  }

  // Of the twenty that came back, those above its share.
  assert.ok(inside(flood) >= 12, `${inside(flood)} of the flood`);
  assert.equal(inside(enterMany(turns, "b", 2)), 2);
});

test("a rate of one token is given by turns", async () => {
  const clock = new FakeClock();
  const turns = new SourceTurns({ rate: [{ per: "source", max: 1, every_ms: 500 }] }, clock);
  let flood: { outcome: string }[] = [];
  let served = 0;
  for (let round = 0; round < 10; round += 1) {
    flood = enterMany(turns, "a", 40);
    const one = enter(turns, "b");
    await clock.advance(1_000);
    if (one.outcome === "in") served += 1;
  }
  assert.equal(served, 10);
  assert.equal(inside(flood) <= 2, true);
});

test("no call waits for a token that cannot come in time", () => {
  const turns = new SourceTurns({ rate: [{ per: "source", max: 2, every_ms: 60_000 }] }, new FakeClock());
  enterMany(turns, "a", 2);

  assert.equal(enter(turns, "a").outcome, "source.rate_limited_here");
});

test("a call that is refused for lack of a place has taken no token", async () => {
  const clock = new FakeClock();
  const turns = new SourceTurns({ concurrency: 1, rate: [{ per: "source", max: 2, every_ms: 600_000 }] }, clock);
  enter(turns, "a");
  enter(turns, "a");
  await clock.advance(WAIT_MS);
  turns.leave("a");

  assert.equal(enter(turns, "a").outcome, "in");
  turns.leave("a");
  assert.equal(enter(turns, "a").outcome, "source.rate_limited_here");
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
        const turns = new SourceTurns({ concurrency, rate: [{ per: "source", max, every_ms: 1_000 }] }, clock);
        const all: { owner: string; entered: { outcome: string }; left: boolean; counted: boolean }[] = [];
        let tokens = 0;
        const startedAt = clock.now();
        for (const { owner, kind } of steps) {
          const name = `o${owner}`;
          if (kind === "enter") all.push({ owner: name, entered: enter(turns, name), left: false, counted: false });
          else if (kind === "pass") await clock.advance(100);
          else {
            const one = all.find((call) => call.owner === name && !call.left && call.entered.outcome === "in");
            if (one !== undefined) {
              one.left = true;
              turns.leave(name);
            }
          }
          await settle();
          const under = all.filter(({ entered, left }) => entered.outcome === "in" && !left).length;
          for (const call of all) {
            if (call.counted || call.entered.outcome !== "in") continue;
            call.counted = true;
            tokens += 1;
          }
          assert.ok(under <= concurrency);
          assert.ok(tokens <= max + ((clock.now() - startedAt) * max) / 1_000);
        }
        await clock.advance(WAIT_MS);
        assert.ok(all.every(({ entered }) => entered.outcome !== "waits"));
        assert.equal(clock.timers, 0);
      },
    ),
    { numRuns: 60 },
  );
});
