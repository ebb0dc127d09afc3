import assert from "node:assert/strict";
import { test } from "node:test";
import * as fc from "fast-check";
import { BoundedMap } from "./bounded-map.ts";

test("it never exceeds its limit, and always keeps the half used last", () => {
  const use = fc.record({ key: fc.nat(30), write: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 12 }), fc.array(use, { maxLength: 200, size: "max" }), (entriesMax, uses) => {
      const map = new BoundedMap<number, string>(entriesMax);
      let usedLast: number[] = [];
      for (const { key, write } of uses) {
        if (write) map.set(key, `value ${key}`);
        const value = map.get(key);
        assert.ok(value === undefined || value === `value ${key}`);
        if (value !== undefined) usedLast = [key, ...usedLast.filter((other) => other !== key)];
        assert.ok(map.size <= entriesMax);
        for (const recent of usedLast.slice(0, Math.floor(entriesMax / 2))) {
          assert.equal(map.get(recent), `value ${recent}`);
        }
      }
    }),
  );
});

test("a deleted entry is gone from both generations", () => {
  const map = new BoundedMap<string, number>(4);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.delete("a");
  assert.equal(map.get("a"), undefined);
  assert.equal(map.get("b"), 2);
});

test("names of inherited properties are ordinary keys", () => {
  const map = new BoundedMap<string, number>(4);
  for (const name of ["__proto__", "constructor", "toString"]) assert.equal(map.get(name), undefined);
  map.set("__proto__", 1);
  assert.equal(map.get("__proto__"), 1);
});

test("entries not used between two calls of age are dropped, used ones are kept", () => {
  const map = new BoundedMap<string, number>(100);
  map.set("used", 1);
  map.set("left", 2);
  map.age();
  assert.equal(map.get("used"), 1);
  map.age();
  assert.equal(map.get("used"), 1);
  assert.equal(map.get("left"), undefined);
  map.age();
  map.age();
  assert.equal(map.size, 0);
});
