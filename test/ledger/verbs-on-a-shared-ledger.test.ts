import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { test } from "node:test";
import { makeRun, runOnce, startLedger } from "../../src/ledger/ledger.kit.ts";
import { shell } from "../cli/project-shell.ts";
import { newStoreDatabase } from "../postgres/shared-postgres.ts";
import { project } from "../start/project-folder.ts";

test("a machine says which of its runs the shared ledger lacks, sends them, and verifies both its ledgers", async (t) => {
  const { run, json, dataDir } = shell(t, project(t, {}));
  const [databaseUrl, rootKey] = [await newStoreDatabase(t), randomBytes(32).toString("base64")];
  // The verbs of the shell read them from there, as those of an operator do.
  Object.assign(process.env, { DATABASE_URL: databaseUrl, DATARUN_ROOT_KEY: rootKey });
  t.after(() => {
    delete process.env["DATABASE_URL"];
    delete process.env["DATARUN_ROOT_KEY"];
  });
  // However long the disk of a busy machine takes.
  const limits = { reserveBytes: 1, stallMs: 60_000, closeMs: 60_000 };
  const { ledger } = await startLedger(t, { directory: join(dataDir, "ledger"), limits });
  for (const each of [makeRun(), makeRun()]) await runOnce(ledger, each);
  await ledger.close();

  const before = await run(["ledger", "list", "--json"]);
  assert.match(before.stderr, /^2 runs of this machine have not reached the shared database/);
  assert.deepEqual((JSON.parse(before.stdout) as { runs: object[] }).runs, []);
  assert.deepEqual(await json(["ledger", "drain"]), { sent: 2 });
  const after = await run(["ledger", "list", "--json"]);
  assert.deepEqual([after.stderr, (JSON.parse(after.stdout) as { runs: object[] }).runs.length], ["", 2]);
  const verified = await run(["ledger", "verify"]);
  assert.equal(verified.stdout, "the shared ledger:\nok 2 runs\n\nthis machine's journal:\nok 2 runs\n");
});
