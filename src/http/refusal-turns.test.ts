import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../terms/clock.kit.ts";
import { REFUSALS_MAX, RefusalTurns } from "./refusal-turns.ts";

function open() {
  const clock = new FakeClock();
  const sent: string[] = [];
  let isStopping = false;
  const turns = new RefusalTurns(clock, () => isStopping);
  const send = (owner: string) => () => void sent.push(owner);
  return { clock, sent, turns, send, stop: () => (isStopping = true) };
}

test("a few refusals are sent at once, and as many more in each millisecond", async () => {
  const { clock, sent, turns, send } = open();
  for (let count = 0; count < 3 * REFUSALS_MAX; count += 1) turns.add("a", send("a"));
  assert.equal(sent.length, REFUSALS_MAX);
  await clock.advance(1);
  assert.equal(sent.length, 2 * REFUSALS_MAX);
  await clock.advance(1);
  assert.equal(sent.length, 3 * REFUSALS_MAX);
  await clock.advance(1);
  turns.add("a", send("a"));
  assert.equal(sent.length, 3 * REFUSALS_MAX + 1);
});

test("the one refusal of an organization does not wait for the hundreds of another", async () => {
  const { clock, sent, turns, send } = open();
  for (let count = 0; count < 500; count += 1) turns.add("a", send("a"));
  turns.add("b", send("b"));
  await clock.advance(1);
  assert.ok(sent.includes("b"));
});

test("what need not be sent any more is forgotten, and takes nobody's turn", async () => {
  const { clock, sent, turns, send } = open();
  for (let count = 0; count < REFUSALS_MAX; count += 1) turns.add("a", send("a"));
  const gone = Array.from({ length: 10 }, () => send("gone"));
  for (const one of gone) turns.add("a", one);
  turns.add("a", send("last"));
  for (const one of gone) turns.remove("a", one);
  await clock.advance(1);
  assert.deepEqual(sent.slice(REFUSALS_MAX), ["last"]);
});

test("nobody waits once the service is stopping", async () => {
  const { clock, sent, turns, send, stop } = open();
  for (let count = 0; count < 500; count += 1) turns.add("a", send("a"));
  stop();
  turns.add("b", send("b"));
  await clock.advance(1);
  assert.equal(sent.length, 501);
});
