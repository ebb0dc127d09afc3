import assert from "node:assert/strict";
import { test } from "node:test";
import { sayCharge, sayCost, type Charge, type Planned } from "./say-charge.ts";

const list: Charge = { model: "per_success", list_price: { amount: "0.50", currency: "EUR" }, rows: [] };
test("a charge is said with its list price, the highest if there are several", () => {
  assert.equal(sayCharge(list), "0.50 EUR per completed request");
  assert.equal(sayCharge({ ...list, model: "free", list_price: null }), "nothing");
  assert.equal(sayCharge({ ...list, list_price: null }), "per completed request; no list price");
  assert.equal(
    sayCharge({ ...list, rows: [{ when: null, list_price: null }] }),
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
  assert.deepEqual(sayCost(planned), {
    short: "at most 0.40 EUR",
    says: "The vendor bills every completed request: at most 0.40 EUR per request, by the price of the credential.",
  });
  assert.match(sayCost({ ...planned, price_from: "source" }).says, /by the source's list price\.$/);
  assert.equal(sayCost({ ...planned, cost: "unknown" }).short, "unknown price");
  assert.equal(sayCost({ ...planned, cost: "nothing" }).short, null);
});
