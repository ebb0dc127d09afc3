import assert from "node:assert/strict";
import { test } from "node:test";
import { createSteadyClock } from "./steady-clock.ts";
import { installTimers } from "./timers.ts";

const HOUR_MS = 3_600_000;

test("a clock that is set back stands still and then goes on", () => {
  let wallAt = 10 * HOUR_MS;
  const { now } = createSteadyClock(() => wallAt);
  const from = now();
  wallAt += 50;
  assert.equal(now() - from, 50);
  wallAt -= 2 * HOUR_MS;
  assert.equal(now() - from, 50);
  wallAt += 30;
  assert.equal(now() - from, 80);
});

test("a timer comes after its time although the clock was set back meanwhile", () => {
  let wallAt = 10 * HOUR_MS;
  const alarms: number[] = [];
  const came: string[] = [];
  const scope: { setTimeout?: (callback: () => void, delayMs: number) => void } = {};
  const wake = installTimers(
    scope,
    createSteadyClock(() => wallAt),
    (delayMs) => alarms.push(delayMs),
    () => {},
  );
  scope.setTimeout!(() => came.push("first"), 100);
  scope.setTimeout!(() => came.push("second"), 300);

  wallAt += 100 - HOUR_MS;
  wake();
  assert.deepEqual(came, ["first"]);
  wallAt += alarms.at(-1)!;
  wake();
  assert.deepEqual(came, ["first", "second"]);
  assert.deepEqual(alarms, [100, 200]);
});
