import assert from "node:assert/strict";
import { test } from "node:test";
import { termAt, type PriceTerm } from "./price.ts";

const term = (fromWallAt: number, above: number, amount: bigint): PriceTerm => {
  return { fromWallAt, above, amount, currency: "EUR", per: null, timeZone: "UTC" };
};

test("the newest price that has started applies, from its first millisecond", () => {
  const terms = [term(2_000, 0, 2n), term(1_000, 0, 1n), term(3_000, 0, 3n)];
  const at = (wallAt: number) => termAt(terms, wallAt, 0)?.amount ?? null;
  assert.deepEqual([999, 1_000, 1_999, 2_000, 2_999, 3_000].map(at), [null, 1n, 1n, 2n, 2n, 3n]);
});

test("a step holds from the call after the number that it names, and only within its own price", () => {
  const terms = [term(1_000, 0, 10n), term(1_000, 100, 8n), term(1_000, 1_000, 5n), term(2_000, 0, 20n)];
  const after = (calls: number) => termAt(terms, 1_500, calls)?.amount;
  assert.deepEqual([0, 99, 100, 999, 1_000, 5_000].map(after), [10n, 10n, 8n, 8n, 5n, 5n]);
  assert.equal(termAt(terms, 2_000, 5_000)?.amount, 20n);
});
