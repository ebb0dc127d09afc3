import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { crashRounds } from "../ledger/journal-crash-rounds.ts";

test("a hundred kills under 1000 runs a second: nothing missing, nothing invented", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "datarun-crash-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));

  const count = await crashRounds(directory, 100, 1_000, 700);

  assert.ok(count.answered > 5_000, `too little was running to prove anything: ${count.answered} answers`);
  t.diagnostic(JSON.stringify(count));
});
