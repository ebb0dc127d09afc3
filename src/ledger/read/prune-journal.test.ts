import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { forgetDrained, noteDrained } from "../journal/drained-runs.ts";
import { openJournal } from "../journal/journal-database.ts";
import { JournalPruner } from "../journal/journal-pruner.ts";
import { openJournalReader } from "./journal-reader.ts";
import { intentFileName } from "../journal/intent-files.ts";
import {
  atEnd,
  makeCall,
  makeDirectory,
  makeIntent,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  stateOf,
} from "../ledger.kit.ts";

const DAY = 24 * 60 * 60 * 1_000;
const MARCH = Date.UTC(2026, 2, 1);

test("pruned runs do not come back after a crash, and open ones do", async (t) => {
  const first = await startLedger(t);
  const { directory } = first;
  const old = makeRun({ startedWallAt: MARCH });
  const record = first.ledger.open(old);
  record.intend(makeIntent({ sentWallAt: MARCH })).record();
  await record.close(makeReport(old));
  const open = makeRun();
  first.ledger.open(open).intend(makeIntent()).record();
  // The files as they were when the service died: they contain a run that has ended and one that has not.
  const files = readdirSync(directory).filter((name) => name.startsWith("intents-"));
  const intents = files.map((name) => readFileSync(join(directory, name), "utf8")).join("");
  assert.ok(intents.includes(old.transactionId) && intents.includes(open.transactionId));
  await first.ledger.flush();
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  assert.equal((await reader.prune(MARCH + 1)).deleted, 1);
  await first.ledger.close();
  writeFileSync(join(directory, intentFileName(99)), intents);

  await startLedger(t, { directory });

  assert.equal(stateOf(directory, old), undefined, "it was deleted");
  assert.equal(stateOf(directory, open), "unknown");
});

test("the age of a run that a wrong clock has dated in the future counts from when that is seen", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const wrong = makeRun({ startedWallAt: Date.UTC(2094, 0, 1) });
  const right = makeRun({ startedWallAt: MARCH });
  for (const run of [wrong, right]) await runOnce(ledger, run);
  await ledger.close();
  const database = openJournal(directory, 1_000_000, false);
  atEnd(t, () => database.close());
  let now = MARCH + DAY;
  const pruner = new JournalPruner(database, () => now);
  const keepFor = (days: number): void => {
    database
      .prepare("INSERT INTO prunings (asked_at, started_before, unknown_too) VALUES (?, ?, 0)")
      .run(now, now - days * DAY);
    while (pruner.step());
  };
  keepFor(30);
  now += 29 * DAY;
  keepFor(30);
  assert.equal(stateOf(directory, right), "ended");
  now += DAY;
  keepFor(30);
  assert.deepEqual([stateOf(directory, wrong), stateOf(directory, right)], ["ended", undefined]);
  now += DAY;
  keepFor(30);
  assert.equal(stateOf(directory, wrong), undefined);
  assert.deepEqual(query(directory, "SELECT * FROM ahead"), []);
});

test("runs that have been sent are deleted from the journal whatever date a wrong clock gave them, once later ones are old", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const now = Date.now();
  const times = [now - 3 * DAY, now + 9 * DAY, now - 2 * DAY, now - 1_000, now + 9 * DAY];
  const runs = times.map((startedWallAt) => makeRun({ startedWallAt }));
  for (const run of runs) await runOnce(ledger, run);
  await ledger.close();
  const database = openJournal(directory, 1_000_000, false);
  atEnd(t, () => database.close());
  noteDrained(database, { run: 5, wallAt: now, forgetBefore: now - DAY });
  assert.equal(forgetDrained(database, now - DAY, now), false);
  forgetDrained(database, now - DAY, now);
  assert.deepEqual(
    runs.map((run) => stateOf(directory, run)),
    [undefined, undefined, undefined, "ended", "ended"],
  );
});

test("a run that may still be open is never pruned", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const young = makeRun();
  await runOnce(ledger, young);
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());

  assert.deepEqual(await reader.prune(Date.now() + 1_000), { deleted: 0, kept_unknown: 0, kept_undrained: 0 });
  assert.equal(stateOf(directory, young), "ended");
});

test("without a service the asking process prunes, after recording what was in progress when the service died", async (t) => {
  const directory = makeDirectory(t);
  const first = await startLedger(t, { directory });
  for (let count = 0; count < 120; count += 1) await runOnce(first.ledger, makeRun({ startedWallAt: MARCH }));
  const unknown = makeRun({ startedWallAt: MARCH });
  await runOnce(
    first.ledger,
    unknown,
    makeReport(unknown, { calls: [makeCall({ charged: "unknown", attempts: [] })] }),
  );
  await first.ledger.close();
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());

  assert.deepEqual(await reader.prune(MARCH + 1), { deleted: 120, kept_unknown: 1, kept_undrained: 0 });
  assert.equal(query(directory, "SELECT * FROM ledger_calls").length, 1, "what belonged to them has gone with them");
});

test("pruning uses an index, whatever the size of the ledger", async (t) => {
  const { directory } = await startLedger(t);
  const prune = query(
    directory,
    `EXPLAIN QUERY PLAN SELECT id, started_at, has_unknown FROM runs
     WHERE (started_at, id) > (0, 0) AND started_at < 9 ORDER BY started_at, id LIMIT 50`,
  )
    .map((row) => String(row["detail"]))
    .join("; ");
  assert.match(prune, /SEARCH runs USING COVERING INDEX runs_by_time/);
  assert.match(prune, /LAST TERM|^(?!.*TEMP B-TREE)/);
});
