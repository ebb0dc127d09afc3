import assert from "node:assert/strict";
import { test } from "node:test";
import { chargeText, costText, type Charge, type Planned } from "./charge-text.ts";

const list: Charge = { model: "per_success", list_price: { amount: "0.50", currency: "EUR" }, rows: [] };
test("a charge is said with its list price, the highest if there are several", () => {
  assert.equal(chargeText(list), "0.50 EUR per completed request");
  assert.equal(chargeText({ ...list, model: "free", list_price: null }), "nothing");
  assert.equal(chargeText({ ...list, list_price: null }), "per completed request; no list price");
  assert.equal(
    chargeText({ ...list, rows: [{ when: null, list_price: null }] }),
    "at most 0.50 EUR per completed request",
  );
});

test("what asking costs is said with whose price it is, and never as nothing if it is not known", () => {
  const planned = {
    cost: "known",
    bills: "per_success",
    at_most: "0.40",
    currency: "EUR",
    price_from: "credential",
  } as Planned;
  assert.deepEqual(costText(planned), {
    short: "at most 0.40 EUR",
    says: "The vendor bills every completed request: at most 0.40 EUR per request, by the price of the credential.",
  });
  assert.match(costText({ ...planned, price_from: "source" }).says, /by the source's list price\.$/);
  assert.equal(costText({ ...planned, cost: "unknown" }).short, "unknown price");
  assert.equal(costText({ ...planned, cost: "nothing" }).short, null);
});
