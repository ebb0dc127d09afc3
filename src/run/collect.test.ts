import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/clock.kit.ts";
import { slowClock } from "../terms/slow-clock.kit.ts";
import { Stretch } from "../terms/stretch.ts";
import { collectAnswer } from "./collect.ts";
import { readFunctionResult } from "./function-result.ts";

test("other work runs between the steps in which a large output is collected", async () => {
  const { clock, turns } = slowClock();
  assert.deepEqual(await collectAnswer({ a: 1 }, clock, () => true), { match: true, json: '{"a":1}' });
  assert.ok(turns() >= 2, String(turns()));
});

test("other work runs while the result of a function is read", async () => {
  const { clock, turns } = slowClock();
  const output = Object.fromEntries(Array.from({ length: 60_000 }, (_, at) => [`n${at}`, at]));
  assert.deepEqual((await readFunctionResult(JSON.stringify({ output }), new Stretch(clock))).output, output);
  assert.ok(turns() >= 10, String(turns()));
});

test("quick work is done without a pause", async () => {
  let others = 0;
  setImmediate(() => (others += 1));
  const clock = new FakeClock();
  await collectAnswer({ a: 1 }, clock, () => true);
  await readFunctionResult('{"output":{"a":1}}', new Stretch(clock));
  assert.equal(others, 0);
});
