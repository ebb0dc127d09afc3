import assert from "node:assert/strict";
import { test } from "node:test";
import { toMoment } from "./ledger-inputs.ts";

test("a day that does not exist is refused, and not taken for the one after it", () => {
  for (const text of ["2026-02-30", "2026-02-29", "2026-04-31T12:00:00Z", "2026-13-01", "2026-00-10"]) {
    assert.throws(() => toMoment(text), /There is no such day or time/, text);
  }
  assert.equal(toMoment("2028-02-29"), Date.UTC(2028, 1, 29));
  assert.equal(toMoment("2026-03-01T01:00:00+02:00"), Date.UTC(2026, 1, 28, 23));
});
