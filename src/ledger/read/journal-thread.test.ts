import assert from "node:assert/strict";
import test from "node:test";
import { atEnd, makeDirectory, makeRun, runOnce, startLedger } from "../ledger.kit.ts";
import type { OnProgress } from "../../terms/on-progress.ts";
import { openJournalThread } from "./journal-thread.ts";

test("old runs are deleted from another thread, which reports by what clock they are old", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const startedWallAt = Date.now() - 24 * 60 * 60 * 1_000;
  await runOnce(ledger, makeRun({ startedWallAt }));
  const thread = openJournalThread({ dir: directory });
  atEnd(t, () => thread.close());

  const { wallAt, lastRunAt, nextRunAt } = await thread.moment();
  assert.deepEqual([lastRunAt, nextRunAt], [startedWallAt, null]);
  assert.equal((await thread.moment(wallAt - startedWallAt + 60_000)).lastRunAt, null, "it started later");
  await runOnce(ledger, makeRun({ startedWallAt: startedWallAt + 60_000 }));
  const between = await thread.moment(wallAt - startedWallAt);
  assert.deepEqual([between.lastRunAt, between.nextRunAt], [startedWallAt, startedWallAt + 60_000]);
  assert.equal((await thread.prune(startedWallAt)).deleted, 0);
  assert.equal((await thread.prune(wallAt)).deleted, 2);
});

test("without a ledger the thread reports that, and answers once there is one", async (t) => {
  const directory = makeDirectory(t);
  const thread = openJournalThread({ dir: directory });
  atEnd(t, () => thread.close());
  await assert.rejects(thread.moment(), { code: "not_found", message: /There is no ledger/ });
  const { ledger } = await startLedger(t, { directory });
  await runOnce(ledger);
  assert.notEqual((await thread.moment()).lastRunAt, null);
});

test("runs that end while the thread is open are listed, summed and shown from it", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const thread = openJournalThread({ dir: directory });
  atEnd(t, () => thread.close());
  await runOnce(ledger);
  const { runs } = await thread.list({});
  assert.equal(runs.length, 1);
  await runOnce(ledger);
  assert.equal((await thread.list({}, { limit: 9 })).runs.length, 2);
  assert.equal((await thread.show(runs[0]!.transaction_id))?.damaged, false);
  assert.equal(await thread.show("trx_none"), null);
  const [line] = await thread.spend("source", { from: 0, to: Date.now() + 60_000 });
  assert.equal(typeof line?.least, "bigint");
  const seen: Parameters<OnProgress>[] = [];
  assert.equal((await thread.verify((...progress) => void seen.push(progress))).ok, 2);
  assert.ok(seen.length > 0 && seen.at(-1)![1] > 0, "progress comes out of the thread");
});

test("the first sum over old runs says how far it is, and the next one has nothing to make", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const DAY = 24 * 60 * 60 * 1_000;
  const month = new Date(Date.now() - 40 * DAY).toISOString().slice(0, 7);
  const startedWallAt = Date.parse(`${month}-05T12:00:00Z`);
  for (const at of [0, 2, 4]) await runOnce(ledger, makeRun({ startedWallAt: startedWallAt + at * DAY }));
  await ledger.flush();
  const thread = openJournalThread({ dir: directory });
  atEnd(t, () => thread.close());
  const seen: Parameters<OnProgress>[] = [];
  const onProgress: OnProgress = (...progress) => void seen.push(progress);
  await thread.summary(month, { timeZone: "Europe/Berlin", onProgress });
  assert.deepEqual(seen[0]?.slice(1), [0, 3]);
  seen.length = 0;
  await thread.spend("day", { from: startedWallAt, to: startedWallAt + 7 * DAY }, onProgress);
  assert.deepEqual(seen, []);
});

test("no question waits for ever after the thread is closed", async (t) => {
  const { directory } = await startLedger(t);
  const thread = openJournalThread({ dir: directory });
  const asked = assert.rejects(thread.moment(), /has ended/);
  await thread.close();
  await asked;
});
