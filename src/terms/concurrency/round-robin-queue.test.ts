import assert from "node:assert/strict";
import { test } from "node:test";
import { RoundRobinQueue } from "./round-robin-queue.ts";

const anybody = () => true;

function drain(queue: RoundRobinQueue<string>): string[] {
  const order: string[] = [];
  for (let item = queue.next(anybody); item !== undefined; item = queue.next(anybody)) order.push(item);
  return order;
}

test("owners are served round-robin, and the items of each keep their order", () => {
  const queue = new RoundRobinQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2"]) queue.add(item[0]!, item);

  assert.equal(queue.size, 6);
  assert.deepEqual(drain(queue), ["a1", "b1", "c1", "a2", "c2", "a3"]);
  assert.equal(queue.size, 0);
});

test("an owner that may not go on keeps its position", () => {
  const queue = new RoundRobinQueue<string>();
  for (const item of ["a1", "b1", "b2"]) queue.add(item[0]!, item);

  assert.equal(
    queue.next((owner) => owner !== "a"),
    "b1",
  );
  assert.deepEqual(drain(queue), ["a1", "b2"]);
});

test("an item that cannot be served does not delay those behind it", () => {
  const queue = new RoundRobinQueue<string>();
  for (const item of ["a1", "a2"]) queue.add(item[0]!, item);

  assert.equal(
    queue.next(anybody, (item) => item === "a2"),
    "a2",
  );
  assert.equal(
    queue.next(anybody, () => false),
    undefined,
  );
  assert.deepEqual(drain(queue), ["a1"]);
});

test("a removed item is not served", () => {
  const queue = new RoundRobinQueue<string>();
  for (const item of ["a1", "a2"]) queue.add(item[0]!, item);

  assert.ok(queue.remove("a", "a1"));
  assert.ok(!queue.remove("a", "a1"));
  assert.ok(!queue.remove("b", "b1"));
  assert.deepEqual([queue.size, queue.of("a")], [1, 1]);
  assert.deepEqual(queue.clear(), ["a2"]);
  assert.deepEqual([queue.size, queue.of("a")], [0, 0]);
});
