import assert from "node:assert/strict";
import { test } from "node:test";
import { monthRange } from "./summarize.ts";

test("a month is that of its year, also if the year has few digits", () => {
  for (const [month, next] of [
    ["2026-02", "2026-03"],
    ["2026-12", "2027-01"],
    ["0026-12", "0027-01"],
    ["0099-12", "0100-01"],
  ])
    assert.deepEqual(monthRange(month!, "UTC"), {
      from: Date.parse(`${month}-01T00:00:00Z`),
      to: Date.parse(`${next}-01T00:00:00Z`),
    });
});
