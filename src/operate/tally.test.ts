import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createTally } from "./tally.ts";

test("the first is said at once, the others as a number, and nothing once they have stopped", async () => {
  const clock = new FakeClock();
  const said: [string, number][] = [];
  const tally = createTally((kind, count) => said.push([kind, count]), clock);

  for (let count = 0; count < 1_000; count += 1) tally.note("a");
  tally.note("b");
  assert.deepEqual(said.splice(0), [
    ["a", 1],
    ["b", 1],
  ]);

  await clock.advance(10_000);
  assert.deepEqual(said.splice(0), [["a", 999]]);
  tally.note("a");
  await clock.advance(10_000);
  assert.deepEqual(said.splice(0), [["a", 1]]);
  await clock.advance(30_000);
  assert.deepEqual(said.splice(0), []);

  tally.note("a");
  tally.note("a");
  tally.close();
  assert.deepEqual(said, [
    ["a", 1],
    ["a", 1],
  ]);
});
