import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget, UNAUTHENTICATED } from "./byte-budget.ts";

test("a unit of work holds no more than its limit, whatever is free", () => {
  const held = new ByteBudget(1_000).open("a", 100);

  assert.ok(held.reserve(100));
  assert.ok(!held.reserve(1));
  held.releaseBytes(50);
  assert.ok(held.reserve(50));
  assert.equal(held.bytes, 100);
});

test("one organization leaves memory for the next", () => {
  const budget = new ByteBudget(1_000);
  const greedy = Array.from({ length: 20 }, () => budget.open("a"));

  assert.equal(greedy.filter((held) => held.reserve(100)).length, 5);
  assert.ok(budget.open("b").reserve(250));
});

test("all callers that are not identified yet share an eighth", () => {
  const budget = new ByteBudget(800);

  assert.ok(budget.open(UNAUTHENTICATED).reserve(100));
  assert.ok(!budget.open(UNAUTHENTICATED).reserve(1));
  assert.ok(budget.open("a").reserve(300));
});

test("once the owner is known, the bytes count for it", () => {
  const budget = new ByteBudget(800);
  const held = budget.open(UNAUTHENTICATED);
  held.reserve(100);

  assert.ok(held.transferTo("a"));
  assert.ok(budget.open(UNAUTHENTICATED).reserve(100));
  assert.ok(held.reserve(200));
  held.release();
  assert.equal(budget.reservedBytes, 100);
});

test("after a release nothing is held, however often it is repeated", () => {
  const budget = new ByteBudget(800);
  const held = budget.open("a");
  held.reserve(10);

  held.release();
  held.release();
  held.releaseBytes(10);

  assert.ok(!held.reserve(1));
  assert.equal(budget.reservedBytes, 0);
});

test("it is tight before it is full: for the unit of work, for its owner, for all", () => {
  const budget = new ByteBudget(1_000);
  const work = budget.open("a", 100);
  assert.ok(!work.isTight);
  work.reserve(80);
  assert.ok(work.isTight);

  const greedy = budget.open("a");
  greedy.reserve(320);
  assert.ok(greedy.isTight);
  assert.ok(!budget.open("b").isTight);

  for (const owner of ["b", "c", "d"]) while (budget.open(owner).reserve(50));
  assert.ok(budget.open("e").isTight);
});

test("at most a quarter is reserved ahead, so a single owner can request more than that", () => {
  const budget = new ByteBudget(1_000);
  const work = budget.open("a");

  assert.equal(work.reserveAhead(900), 250);
  assert.equal(work.reserveAhead(10), 10);
  work.reserve(120);
  assert.equal(work.reserveAhead(10), null);
  assert.equal(budget.reservedBytes, 380);
});
