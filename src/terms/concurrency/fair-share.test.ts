import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { FairShare } from "./fair-share.ts";

function takeAll(share: FairShare, owner: string): number {
  while (share.take(owner));
  return share.of(owner);
}

test("one owner gets half, and the next one as much as then remains free", () => {
  const share = new FairShare(64);

  assert.equal(takeAll(share, "a"), 32);
  assert.equal(takeAll(share, "b"), 16);
  assert.equal(share.inUse, 48);
});

test("an owner that has nothing yet gets the last place", () => {
  const share = new FairShare(1);

  assert.ok(share.take("a"));
  assert.ok(!share.take("b"));
  share.give("a");
  assert.ok(share.take("b"));
});

test("an owner never has more than its own limit", () => {
  const share = new FairShare(64, (owner) => (owner === "a" ? 3 : 64));

  assert.equal(takeAll(share, "a"), 3);
  assert.equal(takeAll(share, "b"), 30);
});

test("if one owner may have all, it does until another asks, and never again after that", () => {
  const share = new FairShare(8, () => 8, true);

  assert.equal(takeAll(share, "a"), 8);
  assert.ok(!share.take("b"));
  share.give("a", 5);
  assert.equal(takeAll(share, "a"), 4);
  assert.equal(takeAll(share, "b"), 2);
});

test("a moved amount is counted once, and moves only if it fits", () => {
  const share = new FairShare(10);
  share.take("a", 4);
  share.take("b", 3);

  assert.ok(!share.move("a", "b", 4));
  assert.deepEqual([share.of("a"), share.of("b"), share.inUse], [4, 3, 7]);
  assert.ok(share.move("a", "c", 4));
  assert.deepEqual([share.of("a"), share.of("b"), share.of("c"), share.inUse], [0, 3, 4, 7]);
});

test("whatever greedy owners do, a newcomer finds as much as any of them has", () => {
  const steps = fc.array(fc.record({ owner: fc.integer({ min: 0, max: 5 }), gives: fc.boolean() }), {
    maxLength: 400,
    size: "max",
  });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 200 }), steps, (max, taken) => {
      const share = new FairShare(max);
      for (const { owner, gives } of taken) {
        const name = `o${owner}`;
        if (!gives) share.take(name);
        else if (share.of(name) > 0) share.give(name);
      }
      const owners = Array.from({ length: 6 }, (_, at) => share.of(`o${at}`));
      assert.equal(
        owners.reduce((sum, has) => sum + has, 0),
        share.inUse,
      );
      assert.ok(share.inUse <= max);
      // Released amounts only increase the free amount.
      const free = max - share.inUse;
      const greedy = owners.filter((has) => has > 1).length;
      assert.ok(greedy === 0 || free >= Math.floor(max / (owners.length + 1)) - owners.length);
    }),
  );
});
