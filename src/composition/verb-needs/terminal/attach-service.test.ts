import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import { until } from "../../../../test/rig/until.ts";
import { findAddress, recordAddress } from "../../service-address.ts";
import { lockDirectory } from "../../../ledger/journal/directory-lock.ts";
import { atEnd, makeDirectory } from "../../../ledger/ledger.kit.ts";
import { openStore } from "../../../storage/store.ts";
import { FakeClock } from "../../../terms/time/clock.kit.ts";
import { systemClock } from "../../../terms/time/clock.ts";
import { attachService } from "./attach-service.ts";

/** Locks the ledger between a command's check and its start. */
function lockUnseen(ledger: string): () => void {
  lockDirectory(ledger)();
  const database = new DatabaseSync(join(ledger, "service.lock"));
  database.exec("BEGIN; SELECT 1 FROM sqlite_schema");
  return () => database.close();
}

/** A data directory with a locked ledger, and a command that waits there for a service. */
async function waiting(t: TestContext, lock = lockDirectory) {
  const dataDir = makeDirectory(t);
  await (await openStore({ dataDir, clock: systemClock })).close();
  mkdirSync(join(dataDir, "ledger"));
  let unlock: (() => void) | undefined = lock(join(dataDir, "ledger"));
  const end = () => {
    unlock?.();
    unlock = undefined;
  };
  atEnd(t, end);
  const clock = new FakeClock();
  const notes: string[] = [];
  const note = (sentence: string) => void notes.push(sentence);
  const attached = attachService({ dataDir, project: undefined, databaseUrl: undefined, clock, note });
  attached.then(
    ({ close }) => atEnd(t, close),
    () => {},
  );
  await until(() => notes.length > 0);
  assert.deepEqual(notes, ["Another command or service has locked the ledger of this data directory: waiting for it."]);
  return { dataDir, end, clock, notes, attached };
}

test("a command waits for the one that has the ledger, and then starts a service that no other command finds", async (t) => {
  const { dataDir, end, clock, notes, attached } = await waiting(t);
  await clock.advance(1_000);
  end();
  await clock.advance(1_000);
  assert.equal((await attached).isOwn, true);
  assert.equal(findAddress(dataDir), null);
  assert.equal(notes.length, 1, "it is told once");
});

test("a command waits also for one that was faster", async (t) => {
  const { end, clock, attached } = await waiting(t, lockUnseen);
  end();
  await clock.advance(1_000);
  assert.equal((await attached).isOwn, true);
});

test("a command takes the service that begins to listen while it waits", async (t) => {
  const { dataDir, clock, attached } = await waiting(t);
  recordAddress(dataDir, "http://127.0.0.1:8080");
  await clock.advance(1_000);
  const { url, isOwn } = await attached;
  assert.deepEqual([url, isOwn], ["http://127.0.0.1:8080", false]);
});

test("a command that has waited for half a minute says who has the ledger, and that nothing was run", async (t) => {
  const { dataDir, clock, attached } = await waiting(t);
  await clock.advance(31_000);
  await assert.rejects(attached, (error: Error) => {
    assert.ok(
      error.message.startsWith(`Another command or service has locked the ledger in ${dataDir}/ledger for 30 s`),
    );
    assert.match(error.message, /Nothing was run/);
    return true;
  });
});
