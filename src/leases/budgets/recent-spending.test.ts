import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentSpending } from "./recent-spending.ts";

test("what was used in the last second is expected five times", () => {
  const recent = new RecentSpending();
  recent.add(0, 6n);
  assert.equal(recent.soon(500), 30n);
  recent.add(1_000, 1n);
  assert.equal(recent.soon(1_500), 30n);
  recent.add(2_000, 2n);
  assert.equal(recent.soon(2_500), 10n);
  assert.equal(recent.soon(9_000), 0n);
});
