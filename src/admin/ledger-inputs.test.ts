import assert from "node:assert/strict";
import { test } from "node:test";
import { toAuditQuery } from "./audit-wire.ts";
import { requireTime, toFilter, toMoment } from "./ledger-inputs.ts";

test("a day that does not exist is refused, and not taken for the one after it", () => {
  for (const text of ["2026-02-30", "2026-02-29", "2026-04-31T12:00:00Z", "2026-13-01", "2026-00-10"]) {
    assert.throws(() => toMoment(text), /There is no such day or time/, text);
  }
  assert.equal(toMoment("2028-02-29"), Date.UTC(2028, 1, 29));
  assert.equal(toMoment("2026-03-01T01:00:00+02:00"), Date.UTC(2026, 1, 28, 23));
});

test("a span without time in it is refused, and not taken for one in which nothing happened", () => {
  const day = { from: "2026-03-01", to: "2026-03-01" };
  for (const span of [day, { from: "2026-03-02", to: "2026-03-01" }]) {
    assert.throws(() => toFilter(span), /--from must be before --to\./);
    assert.throws(() => toAuditQuery(span), /--from must be before --to\./);
  }
  assert.deepEqual(toFilter({ from: "2026-03-01" }), { from: Date.UTC(2026, 2, 1) });
  assert.deepEqual(requireTime({ from: 1, to: 2 }), { from: 1, to: 2 });
});
