import assert from "node:assert/strict";
import test from "node:test";
import type { Clock } from "../terms/time/clock.ts";
import { startRetention } from "./retention.ts";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 2, 10);

/** A ledger whose clock the test sets, and a service whose timers the test controls. */
function retention(runs: readonly number[] = [NOW]) {
  const timers: (() => void)[] = [];
  let now = 0;
  const clock: Clock = {
    now: () => now,
    wall: () => 0,
    after: (_, due) => {
      timers.push(due);
      return () => void timers.splice(timers.indexOf(due), 1);
    },
  };
  const asked: number[] = [];
  const events: string[] = [];
  const note = (fields: object): number => events.push((fields as { event: string }).event);
  const ledger = {
    wallAt: NOW,
    fails: false,
    moment: async (agoMs: number) => {
      const { wallAt } = ledger;
      const lastRunAt = runs.findLast((startedAt) => startedAt <= wallAt - agoMs) ?? null;
      const nextRunAt = runs.find((startedAt) => startedAt > (lastRunAt ?? wallAt) && startedAt <= wallAt) ?? null;
      return { wallAt, lastRunAt, nextRunAt };
    },
    prune: async (startedBefore: number) => {
      asked.push(startedBefore);
      if (ledger.fails) throw new Error("the database is away");
      return { deleted: 3, kept_unknown: 1, kept_undrained: 0 };
    },
  };
  const end = startRetention({ days: 90, ledger, clock, log: { info: note, warn: note, error: note } });
  /** Advances the service's clock by an hour, and the ledger's clock by `leapMs`. */
  const turn = async (leapMs = HOUR): Promise<void> => {
    now += HOUR;
    ledger.wallAt += leapMs;
    timers.shift()!();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { ledger, asked, events, timers, turn, end };
}

test("retention deletes old runs again and again, survives a failure, and ends", async () => {
  const { ledger, asked, events, timers, turn, end } = retention();
  await turn();
  ledger.fails = true;
  await turn();
  assert.deepEqual(asked, [NOW + HOUR - 90 * DAY, NOW + 2 * HOUR - 90 * DAY]);
  assert.deepEqual(events, ["ledger_pruned", "ledger_prune_failed"]);
  assert.equal(timers.length, 1);
  end();
  assert.equal(timers.length, 0);
});

test("after a clock leaps ahead nothing is deleted for a day, and nothing at all once it is corrected", async () => {
  const { ledger, asked, events, turn } = retention();
  await turn();
  await turn(800 * DAY);
  for (let hour = 0; hour < 5; hour += 1) await turn();
  assert.equal(asked.length, 1);
  assert.equal(events.filter((event) => event === "ledger_clock_leapt").length, 1);

  ledger.wallAt -= 800 * DAY;
  for (let hour = 0; hour < 24; hour += 1) await turn();
  assert.ok(asked.length > 1);
  assert.ok(asked.every((startedBefore) => startedBefore < NOW));
});

test("the runs that a service takes before it first deletes do not show that its clock is right", async () => {
  const { asked, events, turn } = retention([NOW - 800 * DAY, NOW + 1, NOW + HOUR]);
  await turn();
  assert.deepEqual([asked, events], [[], ["ledger_clock_leapt"]]);
});

test("nor do those of the process before it, for a day", async () => {
  const wrong = retention([NOW - 800 * DAY, NOW - 5 * HOUR, NOW - 4 * HOUR]);
  await wrong.turn();
  assert.deepEqual([wrong.asked, wrong.events], [[], ["ledger_clock_leapt"]]);
  const believed = retention([NOW - 800 * DAY, NOW - 30 * HOUR, NOW - 25 * HOUR, NOW - 4 * HOUR]);
  await believed.turn();
  assert.equal(believed.asked.length, 1);
});

test("a service that starts long after the last run waits a day before it deletes", async () => {
  const { asked, turn } = retention([NOW - 30 * DAY]);
  for (let hour = 0; hour < 24; hour += 1) await turn();
  assert.equal(asked.length, 0);
  await turn();
  assert.equal(asked.length, 1);
});
