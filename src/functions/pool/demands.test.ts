import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeClock } from "../../terms/clock.kit.ts";
import { Demands } from "./demands.ts";

test("a function that works for a second now and then needs no processor of its own, one that goes on does", async () => {
  const clock = new FakeClock();
  const demands = new Demands(clock);
  for (let time = 0; time < 20; time += 1) {
    demands.usedCpu("org_a/now-and-then", 900);
    await clock.advance(4_000);
  }
  assert.equal(demands.needsCpu("org_a/now-and-then"), false);
  for (let time = 0; time < 8; time += 1) {
    demands.usedCpu("org_a/goes-on", 400);
    await clock.advance(1_000);
  }
  assert.equal(demands.needsCpu("org_a/goes-on"), true);
  assert.equal(demands.needsCpu("org_b/goes-on"), false);
});

test("what a function needed is forgotten after a while, if it does not go on", async () => {
  const clock = new FakeClock();
  const demands = new Demands(clock);
  demands.usedCpu("org_a/f", 60_000);
  demands.tookMemory("org_a/f");
  await clock.advance(599_000);
  assert.deepEqual([demands.needsCpu("org_a/f"), demands.needsMemory("org_a/f")], [true, true]);
  await clock.advance(2_000);
  assert.deepEqual([demands.needsCpu("org_a/f"), demands.needsMemory("org_a/f")], [false, false]);
  demands.usedCpu("org_a/f", 500);
  assert.equal(demands.needsCpu("org_a/f"), false);
});
