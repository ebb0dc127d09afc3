import assert from "node:assert/strict";
import { test } from "node:test";
import { crashRounds } from "./crash-rounds.ts";

test("kill -9 of the loaded service: every answer is on the ledger, every vendor call too, and what is unknown is listed", async (t) => {
  const count = await crashRounds(t, 4);
  assert.ok(count.answered > 40, `too little was running to prove anything: ${count.answered} answers`);
  assert.ok(count.unknownRuns > 0, "no kill met a run under way");
  t.diagnostic(JSON.stringify(count));
});
