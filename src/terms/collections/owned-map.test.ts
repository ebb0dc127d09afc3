import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { OwnedMap } from "./owned-map.ts";

test("an owner that invents keys without end loses its own entries, least recently used first, and never another's", () => {
  const map = new OwnedMap<number>(100);
  map.set("b", "kept", 1);
  map.set("a", "first", 2);
  for (let at = 0; at < 1_000; at += 1) {
    map.set("a", `made up ${at}`, at);
    assert.equal(map.get("a", "first"), 2, "what is used stays");
  }
  assert.equal(map.size, 100);
  assert.equal(map.get("b", "kept"), 1);
  assert.equal(map.get("a", "made up 0"), undefined);
  assert.equal(map.get("a", "made up 999"), 999);
});

test("it never exceeds its limit, keeps the newest entry, and no owner with fewer entries than another loses one", () => {
  const step = fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat(30));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.array(step, { maxLength: 100, size: "max" }), (max, steps) => {
      const map = new OwnedMap<number>(max);
      const has = (owner: string) => Array.from({ length: 31 }, (_, key) => map.get(owner, String(key)) ?? []).flat();
      for (const [owner, key] of steps) {
        const before = new Map(["a", "b", "c"].map((name) => [name, has(name).length]));
        map.set(owner, String(key), key);
        assert.ok(map.size <= max);
        assert.equal(map.get(owner, String(key)), key);
        for (const [name, count] of before) {
          const lost = count - has(name).length;
          if (name !== owner && lost > 0) assert.ok(count >= Math.max(...before.values()), `${name} lost one`);
        }
      }
      assert.equal([...map.values()].length, map.size);
    }),
  );
});

test("a removed entry is gone, and removing it again changes nothing", () => {
  const map = new OwnedMap<number>(2);
  assert.equal(
    map.getOrCreate("a", "k", () => 1),
    1,
  );
  assert.equal(
    map.getOrCreate("a", "k", () => 2),
    1,
  );
  map.delete("a", "k");
  map.delete("a", "k");
  assert.deepEqual([map.size, map.get("a", "k")], [0, undefined]);
});

test("it finds what a map of joined keys finds, whatever was set and removed before", () => {
  const step = fc.tuple(fc.constantFrom("a", "b"), fc.nat(2), fc.constantFrom("set", "delete", "get"));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60, size: "max" }), (steps) => {
      const [map, model] = [new OwnedMap<number>(100), new Map<string, number>()];
      for (const [at, [owner, key, what]] of steps.entries()) {
        if (what === "set") {
          map.set(owner, String(key), at);
          model.set(owner + key, at);
        } else if (what === "delete") {
          map.delete(owner, String(key));
          model.delete(owner + key);
        } else assert.equal(map.get(owner, String(key)), model.get(owner + key));
      }
      assert.deepEqual(new Set(map.values()), new Set(model.values()));
      assert.equal(map.size, model.size);
    }),
  );
});

test("keys of two parts differ in either, count towards one limit, and are forgotten in the order of use", () => {
  const map = new OwnedMap<string>(3);
  for (const [of, key] of [
    ["x", "1"],
    ["x", "2"],
    ["y", "1"],
  ] as const)
    map.set("a", key, of + key, of);
  assert.deepEqual([map.get("a", "1", "x"), map.get("a", "1"), map.size], ["x1", undefined, 3]);
  map.set("a", "2", "y2", "y");
  assert.deepEqual([...map.values()], ["y1", "x1", "y2"]);
});
