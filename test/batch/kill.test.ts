import assert from "node:assert/strict";
import { test } from "node:test";
import { killRounds } from "./kill-rounds.ts";

test("kill -9 of the client, of the service, and of both: no row is paid for twice, and what is lost is reported", async (t) => {
  const count = await killRounds(t, 3, 80);
  assert.ok(count.answered > 150, "too little was answered to prove anything");
  t.diagnostic(JSON.stringify(count));
});
