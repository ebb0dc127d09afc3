import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget, NOT_YET_KNOWN } from "./byte-budget.ts";

test("a unit of work holds no more than its limit, whatever is free", () => {
  const held = new ByteBudget(1_000).open("a", 100);

  assert.ok(held.hold(100));
  assert.ok(!held.hold(1));
  held.drop(50);
  assert.ok(held.hold(50));
  assert.equal(held.bytes, 100);
});

test("one organization leaves memory for the next", () => {
  const budget = new ByteBudget(1_000);
  const greedy = Array.from({ length: 20 }, () => budget.open("a"));

  assert.equal(greedy.filter((held) => held.hold(100)).length, 5);
  assert.ok(budget.open("b").hold(250));
});

test("all callers that are not identified yet share an eighth", () => {
  const budget = new ByteBudget(800);

  assert.ok(budget.open(NOT_YET_KNOWN).hold(100));
  assert.ok(!budget.open(NOT_YET_KNOWN).hold(1));
  assert.ok(budget.open("a").hold(300));
});

test("once the owner is known, the bytes count for it", () => {
  const budget = new ByteBudget(800);
  const held = budget.open(NOT_YET_KNOWN);
  held.hold(100);

  assert.ok(held.passTo("a"));
  assert.ok(budget.open(NOT_YET_KNOWN).hold(100));
  assert.ok(held.hold(200));
  held.release();
  assert.equal(budget.heldBytes, 100);
});

test("after a release nothing is held, however often it is repeated", () => {
  const budget = new ByteBudget(800);
  const held = budget.open("a");
  held.hold(10);

  held.release();
  held.release();
  held.drop(10);

  assert.ok(!held.hold(1));
  assert.equal(budget.heldBytes, 0);
});

test("it is tight before it is full: for the unit of work, for its owner, for all", () => {
  const budget = new ByteBudget(1_000);
  const work = budget.open("a", 100);
  assert.ok(!work.isTight);
  work.hold(80);
  assert.ok(work.isTight);

  const greedy = budget.open("a");
  greedy.hold(320);
  assert.ok(greedy.isTight);
  assert.ok(!budget.open("b").isTight);

  for (const owner of ["b", "c", "d"]) while (budget.open(owner).hold(50));
  assert.ok(budget.open("e").isTight);
});

test("at most a quarter is reserved ahead, so a single owner can request more than that", () => {
  const budget = new ByteBudget(1_000);
  const work = budget.open("a");

  assert.equal(work.holdAhead(900), 250);
  assert.equal(work.holdAhead(10), 10);
  work.hold(120);
  assert.equal(work.holdAhead(10), null);
  assert.equal(budget.heldBytes, 380);
});
