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

test("a function is new for half a second, and longer while it uses more than its part", async () => {
  const clock = new FakeClock();
  const demands = new Demands(clock);
  assert.equal(demands.isNew("org_a/waits"), true);
  for (const name of ["waits", "computes", "starves"]) demands.began(`org_a/${name}`);
  for (let time = 0; time < 2; time += 1) {
    demands.usedCpu("org_a/computes", 300);
    demands.usedCpu("org_a/starves", 150);
    await clock.advance(250);
  }
  assert.deepEqual(
    ["waits", "computes", "starves"].map((name) => demands.isNew(`org_a/${name}`)),
    [false, true, true],
  );
  demands.usedCpu("org_a/computes", 900);
  assert.equal(demands.needsCpu("org_a/computes"), true);
  await clock.advance(1_000);
  assert.equal(demands.isNew("org_a/starves"), false, "it goes on with its part");
  demands.usedCpu("org_a/starves", 800);
  assert.equal(demands.isNew("org_a/starves"), true);
  await clock.advance(3_500);
  assert.equal(demands.isNew("org_a/starves"), false, "nothing is new for longer than five seconds");
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
  assert.deepEqual([demands.needsCpu("org_a/f"), demands.isNew("org_a/f")], [false, true]);
  demands.began("org_a/f");
  await clock.advance(2_000);
  assert.equal(demands.isNew("org_a/f"), false);
});
