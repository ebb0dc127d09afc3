import assert from "node:assert/strict";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
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
  // The files as they were when the service died: they contain an ended and an open run.
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
