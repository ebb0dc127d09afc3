import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { Worker } from "node:worker_threads";
import { isLocked, LedgerInUse, lockDirectory } from "./directory-lock.ts";

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), "datarun-lock-"));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

test("one process locks a directory, until it releases the lock", (t) => {
  const directory = directoryOf(t);
  assert.equal(isLocked(directory), false, "it never was");
  const unlock = lockDirectory(directory);
  assert.equal(isLocked(directory), true);
  assert.throws(() => lockDirectory(directory), LedgerInUse);
  unlock();
  assert.equal(isLocked(directory), false);
  lockDirectory(directory)();
});

test("processes that check the directory at the same moment find it free", (t) => {
  const directory = directoryOf(t);
  lockDirectory(directory)();
  using other = new DatabaseSync(join(directory, "service.lock"), { readOnly: true });
  other.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  assert.equal(isLocked(directory), false);
});

test("a service that starts at the moment in which a command looks waits for it", async (t) => {
  const directory = directoryOf(t);
  lockDirectory(directory)();
  const looking = new Worker(
    `const { DatabaseSync } = require("node:sqlite");
     const { parentPort, workerData } = require("node:worker_threads");
     const database = new DatabaseSync(workerData, { readOnly: true });
     database.exec("BEGIN; SELECT 1 FROM sqlite_schema");
     parentPort.postMessage("looks");
     Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
     database.close();`,
    { eval: true, workerData: join(directory, "service.lock") },
  );
  await once(looking, "message");
  lockDirectory(directory)();
  await once(looking, "exit");
});
