import assert from "node:assert/strict";
import { test } from "node:test";
import { forgetResults, cacheResult, cachedResult, sizeOf } from "./result-cache.ts";

const megabyte = "x".repeat(1_000_000);

test("what is kept is bounded by its size, and the newest stays", () => {
  for (let at = 0; at < 30; at += 1) cacheResult(`list ${at}`, { rows: [megabyte] });
  const held = Array.from({ length: 30 }, (_, at) => cachedResult(`list ${at}`) !== undefined);
  assert.equal(held.filter(Boolean).length, 9);
  assert.equal(held.indexOf(true), 21);
  // Small results stay within the size limit, however many there are.
  forgetResults();
  for (let at = 0; at < 1_000; at += 1) cacheResult(`name ${at}`, { name: "Acme" });
  assert.deepEqual(cachedResult("name 0"), { name: "Acme" });
});

test("a result that is larger than everything may be takes nothing else with it, nor stays as it was before", () => {
  forgetResults();
  cacheResult("small", 1);
  cacheResult("list", "before");
  cacheResult("list", Array(11).fill(megabyte));
  assert.equal(cachedResult("list"), undefined);
  assert.equal(cachedResult("small"), 1);
  // Replacing the result of a key does not count its size twice.
  for (let at = 0; at < 100; at += 1) cacheResult("again", megabyte);
  assert.equal(cachedResult("small"), 1);
});

test("a value is measured by all that it contains, and no further than the limit", () => {
  assert.equal(sizeOf({ a: ["bc", 1, null] }, 1_000), 5 * 8 + 1 + 2);
  assert.ok(sizeOf(Array(1_000).fill(megabyte), 5_000_000) < 7_000_000);
});
