import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "./clock.kit.ts";
import { answeredWithin, settledWithin, withTimeout } from "./within.ts";

const late = () => new Error("late");

test("a promise that settles in time is passed on, either way, and leaves no timer", async () => {
  const clock = new FakeClock();
  assert.equal(await withTimeout(clock, 10, Promise.resolve("value"), late), "value");
  await assert.rejects(withTimeout(clock, 10, Promise.reject(new Error("its own")), late), { message: "its own" });
  assert.equal(await settledWithin(clock, 10, Promise.resolve()), true);
  assert.equal(await settledWithin(clock, 10, Promise.reject(new Error("its own"))), true);
  assert.equal(clock.timers, 0);
});

test("a promise that does not is abandoned", async () => {
  const clock = new FakeClock();
  const never = new Promise<never>(() => {});
  const waits = assert.rejects(withTimeout(clock, 10, never, late), { message: "late" });
  const asks = settledWithin(clock, 10, never);
  await clock.advance(10);
  await waits;
  assert.equal(await asks, false);
});

test("time in which this process was stopped is not silence of another one", async () => {
  const clock = new FakeClock();
  const answer = Promise.withResolvers<string>();
  const [heard, notHeard] = [answer.promise, new Promise<never>(() => {})].map((each) =>
    answeredWithin(clock, 450, each, late),
  );
  const waits = assert.rejects(notHeard!, { message: "late" });
  clock.stop(60_000);
  await clock.advance(300);
  answer.resolve("answer");
  assert.equal(await heard, "answer");
  await clock.advance(50);
  await waits;
  assert.equal(clock.timers, 0);
});

test("time in which this process was busy counts: late steps do not extend a wait", async () => {
  const clock = new FakeClock();
  const waits = assert.rejects(answeredWithin(clock, 500, new Promise<never>(() => {}), late), { message: "late" });
  for (let step = 0; step < 4; step += 1) clock.stop(140);
  await clock.advance(0);
  assert.equal(clock.timers, 0, "after 560 ms it still waits");
  await waits;
});
