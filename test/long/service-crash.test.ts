import assert from "node:assert/strict";
import { test } from "node:test";
import { crashRounds } from "../lifecycle/crash-rounds.ts";

test("a hundred kills of the loaded service", { timeout: 900_000 }, async (t) => {
  const count = await crashRounds(t, 100);
  assert.ok(count.answered > 1_000, `too little was running to prove anything: ${count.answered} answers`);
  t.diagnostic(JSON.stringify(count));
});
