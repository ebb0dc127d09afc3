import assert from "node:assert/strict";
import { test } from "node:test";
import { settle } from "../../terms/clock.kit.ts";
import { LongTurns } from "./long-turns.ts";

/** Runs turns that take 30 ms each, by a clock that only they advance, and records the pauses after them. */
function play(alone: boolean) {
  let now = 0;
  const pauses: { readonly ms: number; readonly end: () => void }[] = [];
  const clock = {
    now: () => now,
    wall: () => now,
    after: (ms: number, end: () => void) => (pauses.push({ ms, end }), () => {}),
  };
  const turns = new LongTurns(clock);
  const taken: string[] = [];
  const take = (name: string, more: number) => () => {
    taken.push(name);
    now += 30;
    return (more -= 1) >= 0;
  };
  const add = (name: string, more = 0) => turns.add(name[0]!, { isAlone: () => alone, take: take(name, more) });
  return { pauses, taken, add };
}

test("while others have something under way a large reply is followed by a pause as long as it took", async () => {
  const { pauses, taken, add } = play(false);
  for (const owner of ["a", "a", "a", "b"]) add(owner);
  assert.deepEqual(taken, ["a"], "the first goes at once");
  await settle();
  assert.deepEqual([taken, pauses.map(({ ms }) => ms)], [["a"], [30]]);

  pauses[0]!.end();
  assert.deepEqual(taken, ["a", "a"]);
  await settle();
  pauses[1]!.end();
  assert.deepEqual(taken, ["a", "a", "b"], "owners take turns");
});

test("who is alone waits for nobody", async () => {
  const { pauses, taken, add } = play(true);
  for (let count = 0; count < 5; count += 1) add("a");
  for (let turn = 0; turn < 6; turn += 1) await settle();
  assert.equal(taken.length, 5);
  assert.equal(pauses.length, 0);
});

test("one that comes after the pause goes at once, and one that comes in it waits for its end", async () => {
  const { pauses, taken, add } = play(false);
  add("a");
  await settle();
  add("b");
  assert.deepEqual(taken, ["a"]);
  pauses[0]!.end();
  await settle();
  pauses[1]!.end();
  add("c");
  assert.deepEqual(taken, ["a", "b", "c"]);
});

test("one that goes on is finished before another of its owner begins, and owners take turns meanwhile", async () => {
  const { taken, add } = play(true);
  add("a1", 2);
  add("a2", 1);
  add("b", 1);
  for (let turn = 0; turn < 10; turn += 1) await settle();
  assert.deepEqual(taken, ["a1", "a1", "b", "a1", "b", "a2", "a2"]);
});
