import assert from "node:assert/strict";
import { test } from "node:test";
import { costOfRunsWords, runLabel } from "./price-words.ts";

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

test("what runs of a function cost is said with how many they were, and of unpriced requests nothing is claimed", () => {
  const eur = { currency: "EUR", median: "0.11", most: "0.31" };
  assert.equal(
    costOfRunsWords({ cost_per_run: [eur], cost_runs: 1_200, unpriced: 0, complete: true }),
    "about 0.11 EUR, at most 0.31 EUR in the last 28 days, 1,200 runs",
  );
  assert.equal(
    costOfRunsWords({ cost_per_run: [{ ...eur, most: "0.11" }], cost_runs: 2_000, unpriced: 1, complete: false }),
    "about 0.11 EUR, and 1 request without a price in its newest 2,000 runs",
  );
  assert.equal(
    costOfRunsWords({ cost_per_run: [], cost_runs: 1, unpriced: 0, complete: true }),
    "nothing in the last 28 days, 1 run",
  );
  for (const none of [undefined, { cost_runs: 0, complete: true }])
    assert.equal(costOfRunsWords(none), "unknown: it had no live run in the last 28 days");
});
