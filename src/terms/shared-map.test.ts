import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { SharedMap } from "./shared-map.ts";

test("an owner that makes up keys pushes out its own entries and nobody else's", () => {
  const map = new SharedMap<object>(10);
  const others = ["b", "c"].map((owner) => [owner, map.getOrMake(owner, "only", () => ({}))] as const);

  for (let key = 0; key < 1_000; key += 1) map.getOrMake("a", `key ${key}`, () => ({}));

  for (const [owner, value] of others)
    assert.equal(
      map.getOrMake(owner, "only", () => ({})),
      value,
    );
  assert.ok(map.size <= 10);
});

test("what was used last is still known, and there are never more than the bound", () => {
  const uses = fc.array(fc.record({ owner: fc.nat(6), key: fc.nat(20) }), { maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), uses, (entriesMax, used) => {
      const map = new SharedMap<object>(entriesMax);
      for (const { owner, key } of used) {
        const made = map.getOrMake(`o${owner}`, `k${key}`, () => ({}));
        assert.equal(
          map.getOrMake(`o${owner}`, `k${key}`, () => ({})),
          made,
        );
        assert.ok(map.size <= entriesMax);
        assert.equal([...map.values()].length, map.size);
      }
    }),
  );
});
