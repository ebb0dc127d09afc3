import assert from "node:assert/strict";
import test from "node:test";
import { makeRun, runOnce, startLedger } from "../ledger/ledger.kit.ts";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { HOUR_MS } from "../terms/time/durations.ts";
import { hasNewRuns } from "./open-ledger.ts";

test("there is nothing to sum up before the first run, nor once the day of the last one has its totals", async (t) => {
  const { ledger } = await startLedger(t);
  const clock = new FakeClock();
  const isNeeded = hasNewRuns(ledger, clock);
  const run = async (): Promise<void> => {
    await runOnce(ledger, makeRun());
    await ledger.flush();
  };
  assert.equal(isNeeded(), false);
  await clock.advance(HOUR_MS);
  assert.equal(isNeeded(), false);
  await run();
  assert.equal(isNeeded(), true);
  // The run may be the first of its day, whose totals are made an hour after the day's end.
  await clock.advance(25 * HOUR_MS + 1);
  assert.equal(isNeeded(), true);
  await clock.advance(HOUR_MS);
  assert.equal(isNeeded(), false);
  await run();
  assert.equal(isNeeded(), true);
});
