import assert from "node:assert/strict";
import { test } from "node:test";
import { grantSlice } from "./grant-slice.ts";

function granted(limit: bigint, others: bigint, keep: bigint, used: bigint, wanted: readonly [bigint, bigint, bigint]) {
  const [need, least, spare] = wanted;
  return grantSlice(limit, others, { keep, used, wanted: { need, least, spare } });
}

test("what waits is granted up to exactly the limit, and not one unit beyond", () => {
  assert.equal(granted(10n, 6n, 3n, 3n, [1n, 1n, 0n]), 4n);
  assert.equal(granted(10n, 6n, 4n, 4n, [1n, 1n, 0n]), 4n);
  assert.equal(granted(10n, 6n, 3n, 3n, [2n, 2n, 0n]), 3n, "half a request is of no use");
});

test("if there is not enough for all that wait, there is enough for some of them", () => {
  assert.equal(granted(10n, 6n, 0n, 0n, [9n, 3n, 0n]), 4n);
});

test("at most a hundredth of the limit is held in advance, in whole requests, and nothing near the limit", () => {
  assert.equal(granted(10_000n, 0n, 0n, 0n, [1n, 1n, 5_000n]), 101n);
  assert.equal(granted(10_000n, 0n, 0n, 0n, [30n, 30n, 5_000n]), 120n);
  assert.equal(granted(10_000n, 0n, 80n, 20n, [0n, 1n, 500n]), 120n, "with what is held already");
  assert.equal(granted(10_000n, 0n, 180n, 20n, [0n, 1n, 500n]), 180n);
  assert.equal(granted(10_000n, 9_900n, 80n, 80n, [3n, 3n, 500n]), 86n);
  assert.equal(granted(50n, 0n, 0n, 0n, [1n, 1n, 50n]), 2n, "of a small one, a unit");
});

test("a lease keeps what it holds, and of a lowered limit at least what it has used", () => {
  assert.equal(granted(10n, 0n, 10n, 4n, [0n, 1n, 0n]), 10n);
  assert.equal(granted(7n, 0n, 10n, 4n, [1n, 1n, 5n]), 7n);
  assert.equal(granted(3n, 2n, 10n, 4n, [1n, 1n, 5n]), 4n);
});
