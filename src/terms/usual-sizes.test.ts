import assert from "node:assert/strict";
import { test } from "node:test";
import { UsualSizes } from "./usual-sizes.ts";

test("large sizes are remembered for a while, for their owner alone", () => {
  const sizes = new UsualSizes();
  const unseen = sizes.of("a", "x");
  sizes.saw("a", "x", 1_000_000);
  sizes.saw("a", "x", 10);
  assert.equal(sizes.of("a", "x"), 900_000);
  assert.deepEqual([sizes.of("b", "x"), sizes.of("a", "y")], [unseen, unseen]);
});

test("an owner that invents names without end makes nothing forgotten of others", () => {
  const sizes = new UsualSizes();
  sizes.saw("b", "x", 1_000_000);
  for (let made = 0; made < 12_000; made += 1) sizes.saw("a", `made up ${made}`, 1);
  assert.equal(sizes.of("b", "x"), 1_000_000);
});
