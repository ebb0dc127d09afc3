import { test } from "node:test";
import { killRounds } from "../batch/kill-rounds.ts";

test("a hundred kills of a batch and its service", { timeout: 3_600_000 }, async (t) => {
  t.diagnostic(JSON.stringify(await killRounds(t, 100, 60)));
});
