import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/time/clock.kit.ts";
import { createLineLimit, LINES_MAX } from "./line-limit.ts";

test("of each kind a few have lines of their own in a period, and the others are counted when it ends", async () => {
  const clock = new FakeClock();
  const counted: [string, number][] = [];
  const limit = createLineLimit<string>((kind, count) => counted.push([kind, count]), clock);
  const admitted = (kind: string, events: number) =>
    Array.from({ length: events }, () => limit.admits(kind)).filter(Boolean).length;

  assert.equal(admitted("a", 1_000), LINES_MAX);
  assert.equal(admitted("b", LINES_MAX), LINES_MAX);
  assert.deepEqual(counted, []);
  await clock.advance(1_000);
  assert.deepEqual(counted.splice(0), [["a", 1_000 - LINES_MAX]]);

  assert.equal(admitted("a", LINES_MAX + 3), LINES_MAX);
  await clock.advance(1_000);
  assert.deepEqual(counted.splice(0), [["a", 3]]);
  await clock.advance(5_000);
  assert.deepEqual(counted, [], "nothing more once they have stopped");

  admitted("a", LINES_MAX + 2);
  limit.close();
  await clock.advance(1_000);
  assert.deepEqual(counted, [["a", 2]], "an end logs what is left, once");
});
