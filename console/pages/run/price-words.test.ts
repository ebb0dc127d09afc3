import assert from "node:assert/strict";
import { test } from "node:test";
import { runLabel } from "./price-words.ts";

test("the button shows the maximum cost of a run, and whether a part of it is unknown", () => {
  const label = (at_most: { amount: string; currency: string }[], unknown_cost: string[], simulated = false) =>
    runLabel({ at_most, unknown_cost, workflow: { simulated } }, "sources");
  const eur = { amount: "3.25", currency: "EUR" };
  assert.equal(label([], []), "Run live, free of charge");
  assert.equal(label([eur], []), "Run live, for at most 3.25 EUR");
  assert.equal(
    label([eur, { amount: "0.10", currency: "USD" }], ["a__b"]),
    "Run live, for at most 3.25 EUR and 0.10 USD plus an unknown price",
  );
  assert.equal(label([], ["a__b"]), "Run live, for an unknown price");
  assert.equal(label([eur], [], true), "Run simulated");
  const live = { at_most: [], unknown_cost: [], workflow: { simulated: false } };
  assert.match(runLabel(live, "function"), /at an unknown price/);
});
