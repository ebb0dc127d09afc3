import assert from "node:assert/strict";
import test from "node:test";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import { maintainTotals } from "./maintain-totals.ts";

test("totals are made every minute, what fails again and again is logged once, and the end is the end", async () => {
  const clock = new FakeClock();
  const events: string[] = [];
  const note = (fields: object): number => events.push((fields as { event: string }).event);
  let [made, fails] = [0, false];
  let isClosed = (): boolean => true;
  const makeTotals = async (closed = isClosed): Promise<void> => {
    made += 1;
    isClosed = closed;
    if (fails) throw new Error("the database is away");
  };
  let isNeeded = true;
  const end = maintainTotals({
    ledger: { makeTotals },
    clock,
    isNeeded: () => isNeeded,
    log: { info: note, warn: note, error: note },
  });
  await clock.advance(10_000);
  assert.equal(made, 1, "also soon after the start");
  await clock.advance(110_000);
  assert.deepEqual([made, events], [2, []]);
  isNeeded = false;
  await clock.advance(120_000);
  assert.deepEqual([made, isClosed()], [2, false]);
  isNeeded = true;
  fails = true;
  await clock.advance(180_000);
  assert.deepEqual([made, events], [5, ["ledger_totals_failed"]]);
  fails = false;
  await clock.advance(60_000);
  fails = true;
  await clock.advance(60_000);
  assert.deepEqual([made, events.length], [7, 2]);
  end();
  assert.ok(isClosed(), "what is under way goes no further");
  await clock.advance(600_000);
  assert.deepEqual([made, clock.timers], [7, 0]);
});
