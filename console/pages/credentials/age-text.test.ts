import assert from "node:assert/strict";
import { test } from "node:test";
import { ageText } from "./age-text.ts";

test("an age is said in days, then months, then years, and is never in the future", () => {
  const day = 86_400_000;
  const ages = [-day, 0, day - 1, day, 60 * day, 61 * day, 729 * day, 731 * day].map(ageText);
  assert.deepEqual(ages, ["today", "today", "today", "1 day", "60 days", "2 months", "23 months", "2 years"]);
});
