import assert from "node:assert/strict";
import { test } from "node:test";
import { monthAfter, monthOf, monthText, spanOfMonth } from "./month.ts";

test("months follow each other over the end of a year", () => {
  assert.equal(monthAfter("2026-12", 1), "2027-01");
  assert.equal(monthAfter("2026-01", -1), "2025-12");
  assert.deepEqual(spanOfMonth("2026-12"), { from: "2026-12-01", to: "2027-01-01" });
  assert.equal(monthText("2026-03"), "March 2026");
});

test("an address without a month, or with something else, means the current one", () => {
  const now = new Date("2026-03-31T23:59:59Z");
  for (const text of [null, "", "2026-13", "March", "2026-03-01"]) assert.equal(monthOf(text, now), "2026-03");
  assert.equal(monthOf("2019-07", now), "2019-07");
});
