import assert from "node:assert/strict";
import { test } from "node:test";
import { renderResult } from "./render.ts";

test("a part of an object in a cell is named with its object, so that nobody takes it for a part of another one", () => {
  const detail = {
    charged: "no",
    cost: { currency: null, amount: "0.00", of: { day: "2026-03-01" } },
    note: "x",
    left: {},
    runs: ["a", "b"],
  };
  const shown = "charged=no cost.currency=- cost.amount=0.00 cost.of.day=2026-03-01 note=x left=- runs=a, b";
  assert.equal(renderResult({ entries: [{ what: "set", detail }] }), `WHAT  DETAIL\nset   ${shown}\n`);
  assert.equal(renderResult({ detail }), `detail  ${shown}\n`);
});
