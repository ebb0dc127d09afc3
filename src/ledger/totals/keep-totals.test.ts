import assert from "node:assert/strict";
import test from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { keepTotalsMade } from "./keep-totals.ts";

test("totals are made every minute, what fails again and again is logged once, and the end is the end", async () => {
  const clock = new FakeClock();
  const events: string[] = [];
  const note = (fields: object): number => events.push((fields as { event: string }).event);
  let [made, fails] = [0, false];
  const makeTotals = async (): Promise<void> => {
    made += 1;
    if (fails) throw new Error("the database is away");
  };
  const end = keepTotalsMade({ ledger: { makeTotals }, clock, log: { info: note, warn: note, error: note } });
  await clock.advance(120_000);
  assert.deepEqual([made, events], [2, []]);
  fails = true;
  await clock.advance(180_000);
  assert.deepEqual([made, events], [5, ["ledger_totals_failed"]]);
  fails = false;
  await clock.advance(60_000);
  fails = true;
  await clock.advance(60_000);
  assert.deepEqual([made, events.length], [7, 2]);
  end();
  await clock.advance(600_000);
  assert.deepEqual([made, clock.timers], [7, 0]);
});
