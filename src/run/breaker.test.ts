import assert from "node:assert/strict";
import { test } from "node:test";
import { Breaker, BREAKER_LIMITS } from "./breaker.ts";

function fail(breaker: Breaker, times: number, now: number): void {
  for (let call = 0; call < times; call += 1) {
    assert.ok(breaker.mayCall(now));
    breaker.ended(now, true);
  }
}

test("a breaker opens at half of twenty calls within ten seconds, not before", () => {
  const breaker = new Breaker();
  for (let call = 0; call < 10; call += 1) breaker.ended(1000, false);
  fail(breaker, 9, 2000);
  assert.equal(breaker.isOpen, false);
  fail(breaker, 1, 3000);
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.mayCall(3001), false);
});

test("failures that have left the window do not count", () => {
  const breaker = new Breaker();
  fail(breaker, 19, 1000);
  fail(breaker, 1, 1000 + BREAKER_LIMITS.windowMs + 1000);
  assert.equal(breaker.isOpen, false);
});

test("after five seconds exactly one call probes, and a good one closes it", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 1000);
  assert.equal(breaker.mayCall(5999), false);
  assert.equal(breaker.mayCall(6000), true);
  assert.equal(breaker.mayCall(6000), false, "the probe is under way");
  breaker.ended(6100, false);
  assert.equal(breaker.isOpen, false);
  assert.equal(breaker.mayCall(6100), true);
});

test("each failed probe doubles the pause, up to a minute", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 0);
  let now = 0;
  for (const pauseMs of [5000, 10_000, 20_000, 40_000, 60_000, 60_000]) {
    assert.equal(breaker.mayCall(now + pauseMs - 1), false);
    now += pauseMs;
    assert.equal(breaker.mayCall(now), true);
    breaker.ended(now, true);
  }
});

test("a probe that never reached the vendor decides nothing, and the next call probes", () => {
  const breaker = new Breaker();
  fail(breaker, 20, 0);
  assert.equal(breaker.mayCall(5000), true);
  breaker.ended(5000, undefined);
  assert.equal(breaker.isOpen, true);
  assert.equal(breaker.mayCall(5001), true);
});

test("no-matches and refusals for bad inputs never open it", () => {
  const breaker = new Breaker();
  for (let call = 0; call < 100; call += 1) breaker.ended(1000, false);
  for (let call = 0; call < 100; call += 1) breaker.ended(1000, undefined);
  assert.equal(breaker.isOpen, false);
});
