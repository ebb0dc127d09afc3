import assert from "node:assert/strict";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as fc from "fast-check";
import { FakeClock } from "../../terms/time/clock.kit.ts";
import {
  makeDirectory,
  makeIntent,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  stateOf,
  until,
} from "../ledger.kit.ts";
import { openJournalReader } from "../read/journal-reader.ts";
import { ModelDisk, placeImage, turn } from "./outcome-log.kit.ts";
import { groupOf, listOutcomeFiles, outcomeFileName, readOutcomes, type NumberedRecord } from "./outcome-files.ts";
import { OutcomeLog } from "./outcome-log.ts";

const FILE_BYTES = 16 * 1024;

function makeLog(
  directory: string,
  disk: ModelDisk,
  clock = new FakeClock(),
): { readonly log: OutcomeLog; durable(): number } {
  let durable = 0;
  const onDurable = (last: number): void => void (durable = last);
  const onFailed = (code: string): void => assert.fail(code);
  const { makeFile } = disk;
  const log = new OutcomeLog({
    directory,
    firstNumber: 1,
    fileBytes: FILE_BYTES,
    makeFile,
    clock,
    onDurable,
    onFailed,
  });
  return { log, durable: () => durable };
}

type Step = { readonly ends: readonly number[] } | { readonly passes: number } | "sync" | "move";

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ ends: fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1, maxLength: 6 }) }),
  },
  { weight: 4, arbitrary: fc.constant("sync" as const) },
  { weight: 2, arbitrary: fc.constant("move" as const) },
  { weight: 2, arbitrary: fc.record({ passes: fc.integer({ min: 1, max: 4 }) }) },
);

/** Steps after which the log counts many ended runs. */
const CROWD: readonly Step[] = Array.from(
  { length: 12 },
  () => [{ ends: [1, 1] }, { passes: 1 }, "sync"] as const,
).flat();

test("whatever a loss of power leaves of the log, every answered run is in it as it was, and none that never ended", async (t) => {
  const parent = makeDirectory(t);
  let withTorn = 0;
  let pauses = 0;
  let cuts = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 40 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
      fc.boolean(),
      fc.boolean(),
      async (steps, survives, noted, crowded) => {
        const disk = new ModelDisk();
        cuts += 1;
        const directory = join(parent, String(cuts));
        mkdirSync(directory);
        const clock = new FakeClock();
        const { log, durable } = makeLog(directory, disk, clock);
        await log.open();
        const records: NumberedRecord[] = [];
        let moved = 0;
        let notedTo = 0;
        for (const one of crowded ? [...CROWD, ...steps] : steps) {
          if (one === "sync") await disk.sync();
          else if (one === "move") {
            // The journal's commit is on disk some time before the log is notified.
            moved = durable();
            if (noted) log.release((notedTo = moved));
          } else if ("passes" in one) await clock.advance(one.passes);
          else {
            for (const bytes of one.ends) {
              const record = { number: records.length + 1, text: JSON.stringify("x".repeat(bytes) + records.length) };
              records.push(record);
              log.append(record);
            }
            await turn();
          }
          pauses += clock.timers;
        }
        assert.ok(notedTo <= moved);
        placeImage(directory, disk.image(survives));

        const found = readOutcomes(directory, moved);

        rmSync(directory, { recursive: true });
        const byNumber = new Map(found.records.map((record) => [record.number, record.text]));
        for (const { number, text } of records.slice(moved, durable()))
          assert.equal(byNumber.get(number), text, `the answered run ${number} is lost`);
        for (const [number, text] of byNumber)
          assert.equal(text, records[number - 1]?.text, `the run ${number} is invented`);
        assert.equal(found.lost, 0, "what a power cut has torn is taken for damage");
        if (byNumber.size > durable() - moved && byNumber.size < records.length - moved) withTorn += 1;

        // The write in progress, and one for all runs that waited for it.
        for (let write = 0; write < 2; write += 1) {
          await clock.advance(1);
          await disk.sync();
        }
        assert.equal(durable(), records.length, "a run was not written, and nothing was going to write it");
      },
    ),
    { numRuns: 300 },
  );
  assert.ok(withTorn > 0, "no write was ever cut in two");
  assert.ok(pauses > 0, "no write ever paused");
});

test("a run is written at once, and where many end, with all that end within a millisecond of the last write", async (t) => {
  const disk = new ModelDisk();
  const clock = new FakeClock();
  const { log, durable } = makeLog(makeDirectory(t), disk, clock);
  await log.open();
  let ended = 0;
  const end = (runs: number): void => {
    for (let one = 0; one < runs; one += 1) log.append({ number: (ended += 1), text: "{}" });
  };
  async function endEach(ms: number, runs: number): Promise<void> {
    for (let at = 0; at < 20; at += 1) {
      end(runs);
      await clock.advance(ms);
      await disk.sync();
    }
  }
  await endEach(2, 1);
  end(1);
  await turn();
  await disk.sync();
  assert.equal(durable(), ended, "few end, and one had to wait");

  await endEach(1, 2);
  const before = durable();
  assert.equal(before, ended);
  for (const _ of [1, 2, 3]) {
    end(1);
    await clock.advance(0.25);
    await disk.sync();
    assert.equal(durable(), before, "many end, and one did not wait for the others");
  }
  await clock.advance(0.25);
  await disk.sync();
  assert.equal(durable(), ended, "they were not written together");

  await clock.advance(100);
  end(1);
  await turn();
  await disk.sync();
  assert.equal(durable(), ended, "one had to wait, although it is alone");
});

test("a flipped bit of the log destroys only the outcome that it is in, and lost outcomes are counted", (t) => {
  const directory = makeDirectory(t);
  const records = Array.from({ length: 12 }, (_, at) => ({
    number: at + 11,
    text: JSON.stringify(["run", at, "é".repeat(40)]),
  }));
  const log = Buffer.concat([groupOf(records.slice(0, 5)), groupOf(records.slice(5, 8)), groupOf(records.slice(8))]);
  let lostInAll = 0;
  for (let bit = 0; bit < log.length * 8; bit += 1) {
    // All bytes of the padding are equal, so a few of them are enough.
    if (log[bit >> 3] === 0 && bit % 97 !== 0) continue;
    const flipped = Buffer.from(log);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    writeFileSync(join(directory, outcomeFileName(1)), flipped);

    const { records: found, lost } = readOutcomes(directory, 10);

    for (const { number, text } of found) assert.equal(text, records[number - 11]?.text, `bit ${bit}`);
    const missing = records.filter(({ number }) => !found.some((one) => one.number === number));
    // A byte that becomes a line end, or stops being one, can damage two outcomes.
    assert.ok(missing.length <= 2, `bit ${bit} cost ${missing.length} outcomes`);
    // A power cut may have damaged the last group, so it is not counted as lost.
    assert.equal(lost, missing.filter(({ number }) => number <= 18).length, `bit ${bit}`);
    lostInAll += lost;
  }
  assert.ok(lostInAll > 1_000);
});

/** A copy of a running ledger's files, as a kill would leave them now. */
function copyOf(directory: string, to: string): string {
  cpSync(directory, to, { recursive: true, filter: (path) => !path.endsWith("service.lock") });
  return to;
}

test("an outcome that is only in the log is on the ledger after a crash, once, however often it is replayed", async (t) => {
  const first = await startLedger(t);
  await runOnce(first.ledger);
  await first.ledger.flush();
  first.setFault("commit", "hang");
  const runs = Array.from({ length: 30 }, () => makeRun());
  await Promise.all(runs.map((run) => runOnce(first.ledger, run)));
  const died = copyOf(first.directory, join(makeDirectory(t), "died"));
  // A copy as left by a start that was killed after its commit and before it removed the log.
  first.setFault("commit", "none");
  await first.ledger.flush();
  const again = copyOf(first.directory, join(makeDirectory(t), "again"));
  for (const { name } of listOutcomeFiles(died)) cpSync(join(died, name), join(again, name));

  for (const directory of [died, again]) {
    for (let start = 0; start < 2; start += 1) {
      const { ledger } = await startLedger(t, { directory });
      assert.equal(query(directory, "SELECT 1 FROM ledger_runs").length, 31 + start);
      assert.equal(query(directory, "SELECT 1 FROM ledger_attempts").length, 31 + start);
      for (const run of runs) assert.equal(stateOf(directory, run), "ended");
      await runOnce(ledger);
      await ledger.close();
      assert.deepEqual(listOutcomeFiles(directory), [], "a service that has ended leaves only the journal");
    }
  }
});

test("a run is shown once, right after its answer, to everyone who reads the journal", async (t) => {
  const { ledger, directory, setFault } = await startLedger(t);
  const reader = openJournalReader({ dir: directory });
  t.after(() => reader.close());
  await runOnce(ledger);
  setFault("commit", "hang");
  const run = makeRun();
  await runOnce(ledger, run);

  assert.equal((await reader.show(run.transactionId))?.run.state, "ended");
  assert.equal((await reader.list({})).runs.length, 2);

  setFault("commit", "none");
  await ledger.flush();
  await runOnce(ledger);
  await ledger.flush();
  const numbers = query(directory, "SELECT run FROM ledger_runs ORDER BY run").map((row) => row["run"]);
  assert.deepEqual(numbers, [1, 2, 3]);
  assert.equal((await reader.verify()).structure.length, 0);
});

test("files of the log are reused, and there are only as many as the journal lags behind", async (t) => {
  const { ledger, directory } = await startLedger(t, { limits: { outcomeFileBytes: 8 * 1024 } });
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => runOnce(ledger)));
    await ledger.flush();
  }
  await until(() => listOutcomeFiles(directory).length <= 2, "what is not needed has gone");
  assert.equal(query(directory, "SELECT 1 FROM ledger_runs").length, 200);
});

test("outcomes that a start cannot read are reported, their runs are recorded as unknown, and verify names the loss", async (t) => {
  const first = await startLedger(t);
  first.setFault("commit", "hang");
  const runs = [makeRun(), makeRun(), makeRun()];
  for (const run of runs) await runOnce(first.ledger, run);
  const directory = copyOf(first.directory, join(makeDirectory(t), "damaged"));
  first.setFault("commit", "none");
  const file = readdirSync(directory).find((name) => name.startsWith("outcomes-"))!;
  const bytes = readFileSync(join(directory, file));
  bytes[bytes.indexOf(runs[1]!.transactionId)]! ^= 1;
  writeFileSync(join(directory, file), bytes);

  const reader = openJournalReader({ dir: directory });
  t.after(() => reader.close());
  assert.match((await reader.verify()).structure.join(), /nobody can read 1 outcome in the log/);
  assert.deepEqual((await reader.list({})).runs.length, 2);

  const { events } = await startLedger(t, { directory });
  assert.ok(events.includes("ledger_recovered_intents"));
  assert.deepEqual(
    runs.map((run) => stateOf(directory, run)),
    ["ended", "unknown", "ended"],
  );
  const { structure, missing, damaged } = await reader.verify();
  assert.match(structure.join(), /^the start at \S+ could not read 1 outcome in the log/);
  assert.deepEqual([missing, damaged], [0, 0]);
});

test("a record too large for a file of the log is written to the log all the same", async (t) => {
  const { ledger, directory, setFault } = await startLedger(t, { limits: { outcomeFileBytes: 8 * 1024 } });
  setFault("commit", "hang");
  const run = makeRun();
  const calls = Array.from({ length: 200 }, (_, ordinal) => ({ ...makeReport(run).calls[0]!, ordinal }));
  const record = ledger.open(run);
  record.intend(makeIntent()).record();
  await record.close(makeReport(run, { calls }));
  assert.equal(readOutcomes(directory, 0).records.length, 1);
  setFault("commit", "none");
  await ledger.flush();
  assert.equal(query(directory, "SELECT 1 FROM ledger_calls").length, 200);
});
