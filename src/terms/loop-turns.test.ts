import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "./clock.ts";
import { LoopTurns } from "./loop-turns.ts";
import { Stretch } from "./stretch.ts";

/** A clock that only work moves on. `longest()` is the longest turn of the event loop so far. */
function workClock() {
  let now = 0;
  let turnFrom = 0;
  let longest = 0;
  const turn = (): void => {
    longest = Math.max(longest, now - turnFrom);
    turnFrom = now;
    setImmediate(turn).unref();
  };
  turn();
  const clock: Clock = { now: () => now, wall: () => 0, after: () => () => {} };
  return { clock, work: (ms: number) => void (now += ms), longest: () => longest };
}

test("dozens of long tasks block no turn of the event loop for much longer than one of them", async () => {
  const { clock, work, longest } = workClock();
  const ended: number[] = [];
  const task = async (at: number): Promise<void> => {
    const stretch = new Stretch(clock, "org_a");
    const waits = stretch.begin();
    if (waits !== undefined) await waits;
    for (let step = 0; step < 6; step += 1) {
      work(4);
      if (stretch.isLong) await stretch.end();
    }
    ended.push(at);
  };
  await Promise.all(Array.from({ length: 40 }, (_, at) => task(at)));
  await nextTurn();
  assert.equal(ended.length, 40);
  // A turn's own tasks, and one that begins in the next one before the time is looked at.
  assert.ok(longest() <= 2 * (10 + 4), String(longest()));
});

test("tasks of one owner that go on and on do not keep another owner's from beginning", async () => {
  const { clock, work } = workClock();
  let isOver = false;
  const goesOn = async (): Promise<void> => {
    const stretch = new Stretch(clock);
    while (!isOver) {
      work(11);
      await stretch.end();
    }
  };
  const all = Array.from({ length: 8 }, goesOn);
  const from = clock.now();
  await new Stretch(clock, "org_b").begin();
  isOver = true;
  assert.ok(clock.now() - from <= 3 * 11, String(clock.now() - from));
  await Promise.all(all);
});

test("a task that has waited for something else gives way as before", async () => {
  const { clock, work } = workClock();
  const stretch = new Stretch(clock);
  await nextTurn();
  await nextTurn();
  let ends = 0;
  for (let step = 0; step < 60; step += 1) {
    work(1);
    if (!stretch.isLong) continue;
    ends += 1;
    await stretch.end();
  }
  assert.ok(ends >= 4, String(ends));
});

test("owners take turns to begin, and who has begun goes on in between", async () => {
  const { clock, work } = workClock();
  const steps: string[] = [];
  const task = async (owner: string, name: string): Promise<void> => {
    const stretch = new Stretch(clock, owner);
    const waits = stretch.begin();
    if (waits !== undefined) await waits;
    steps.push(`${name} begins`);
    work(11);
    if (stretch.isLong) await stretch.end();
    steps.push(`${name} ends`);
    work(11);
  };
  const a = ["a1", "a2", "a3", "a4"].map((name) => task("org_a", name));
  await Promise.all([...a, task("org_b", "b1")]);
  assert.equal(steps.length, 10);
  const begins = steps.filter((step) => step.endsWith("begins")).map((step) => step.slice(0, 2));
  assert.deepEqual(begins, ["a1", "a2", "b1", "a3", "a4"]);
  // Not all of them begin before one ends.
  assert.ok(steps.indexOf("a1 ends") < steps.indexOf("b1 begins"), steps.join(", "));
});

test("after a long turn there is as much time for short work, if there is any", async () => {
  const { clock, work } = workClock();
  const turns = LoopTurns.of(clock);
  let isOver = false;
  let shortWork = 0;
  let atEnd = 0;
  const others = (): void => {
    if (isOver) return;
    work(2);
    shortWork += 2;
    setImmediate(others);
  };
  setImmediate(others);
  for (let step = 0; step < 3; step += 1) {
    await turns.next();
    work(20);
    atEnd = shortWork;
  }
  isOver = true;
  // Two pauses between three tasks of 20 ms.
  assert.ok(atEnd >= 2 * 18 && atEnd <= 2 * 30, String(atEnd));
});

test("short work never waits, and a task that is alone is not held up", async () => {
  const { clock, work } = workClock();
  const turns = LoopTurns.of(clock);
  assert.equal(turns.enter("org_a"), undefined);
  work(50);
  const short = new Stretch(clock);
  work(1);
  assert.equal(short.isLong, false);
  const entered = turns.enter("org_b");
  assert.ok(entered instanceof Promise);
  await entered;
  await nextTurn();
  assert.equal(turns.enter("org_a"), undefined);
});
