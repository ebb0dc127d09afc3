import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "node:test";
import { crashRounds } from "./journal-crash-rounds.ts";

test("kill -9 at a random moment loses no answered run and no vendor call, and invents none", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "datarun-crash-"));
  t.after(() => rmSync(directory, { recursive: true, force: true }));

  const count = await crashRounds(directory, 5, 600, 300);

  assert.ok(count.answered > 10, `too little was running to prove anything: ${count.answered} answers`);
  assert.ok(count.unknown > 0, "no kill met a run under way");
  t.diagnostic(JSON.stringify(count));
});
