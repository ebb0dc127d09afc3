import assert from "node:assert/strict";
import { test } from "node:test";
import {
  appliesTo,
  budgetText,
  hasCapacity,
  periodContaining,
  cachedPeriods,
  unitsOf,
  usedBy,
  type BudgetScope,
} from "./budget.ts";

const SPENDER = { organizationId: "org_1", workflowId: "wfl_1", source: "acme__people", credentialId: "cred_1" };
const EVERYTHING: BudgetScope = { organizationId: "org_1", workflowId: null, source: null, credentialId: null };

test("exactly at the limit is allowed, and one more is not", () => {
  assert.ok(hasCapacity(2n, 0n, 3n));
  assert.ok(hasCapacity(2n, 1n, 3n));
  assert.ok(!hasCapacity(3n, 1n, 3n));
});

test("a budget applies if everything that it names is the spender's", () => {
  assert.ok(appliesTo(EVERYTHING, SPENDER));
  for (const [name, value] of Object.entries(SPENDER)) {
    assert.ok(appliesTo({ ...EVERYTHING, [name]: value }, SPENDER), name);
    assert.ok(!appliesTo({ ...EVERYTHING, [name]: `${value}2` }, SPENDER), name);
  }
  assert.ok(!appliesTo({ ...EVERYTHING, credentialId: "cred_1" }, { ...SPENDER, credentialId: null }));
});

test("a budget in money counts its own currency alone, and one in requests counts them all", () => {
  const euro = { amount: 350_000n, currency: "EUR" };
  assert.equal(unitsOf({ currency: "EUR" }, euro), 350_000n);
  assert.equal(unitsOf({ currency: "USD" }, euro), 0n);
  assert.equal(unitsOf({ currency: "EUR" }, null), 0n);
  assert.equal(unitsOf({ currency: null }, null), 1n);
});

test("what was not charged has used nothing, and what may have been charged counts in full", () => {
  const euro = { amount: 350_000n, currency: "EUR" };
  assert.deepEqual(
    (["yes", "unknown", "no"] as const).map((charged) => usedBy({ currency: "EUR" }, charged, euro)),
    [350_000n, 350_000n, 0n],
  );
});

test("a day and a month are those of its time zone, and the next begins where one ends", () => {
  const leap = Date.parse("2028-02-29T23:59:59.999Z");
  for (const [per, from, to] of [
    ["day", "2028-02-29", "2028-03-01"],
    ["month", "2028-02-01", "2028-03-01"],
  ] as const) {
    assert.deepEqual(periodContaining({ per, timeZone: "UTC" }, leap), { from: Date.parse(from), to: Date.parse(to) });
    assert.equal(periodContaining({ per, timeZone: "UTC" }, leap + 1).from, Date.parse(to));
  }
  const periods = cachedPeriods();
  for (const around of [periodContaining, periods, periods]) {
    const october = around({ per: "month", timeZone: "Europe/Berlin" }, Date.parse("2026-10-31T22:59:59.999Z"));
    assert.deepEqual(october, { from: Date.parse("2026-09-30T22:00:00Z"), to: Date.parse("2026-10-31T23:00:00Z") });
    assert.equal(around({ per: "month", timeZone: "Europe/Berlin" }, october.to).from, october.to);
    const longDay = around({ per: "day", timeZone: "Europe/Berlin" }, Date.parse("2026-10-25T12:00:00Z"));
    assert.equal(longDay.to - longDay.from, 25 * 60 * 60_000);
  }
});

test("an amount of a budget names its currency, or counts requests", () => {
  assert.equal(budgetText({ currency: "EUR" }, 12_500_000n), "12.50 EUR");
  assert.deepEqual(
    [1n, 3n].map((units) => budgetText({ currency: null }, units)),
    ["1 request", "3 requests"],
  );
});
