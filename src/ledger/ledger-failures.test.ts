import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { readOutcomes } from "./journal/outcome-files.ts";
import { FakeClock, settle } from "../terms/time/clock.kit.ts";
import { LEDGER_LIMITS } from "./limits.ts";
import { makeDiskFaults, setDiskFault } from "./journal/disk-faults.ts";
import {
  RESERVE_BYTES,
  makeIntent,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  stateOf,
  until,
  type LedgerUnderTest,
} from "./ledger.kit.ts";

const outcomeFiles = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith("outcomes-"));

const REFUSED = { code: "request.journal_unavailable" };

async function untilOpen({ ledger }: LedgerUnderTest): Promise<void> {
  await until(() => ledger.state().unavailable === null, "runs are taken again");
}

for (const fault of ["ENOSPC", "EIO"] as const) {
  test(`a journal that fails with ${fault}: answers wait only for the log, new runs are refused, and all recovers by itself`, async (t) => {
    const tested = await startLedger(t);
    const { ledger, directory, setFault } = tested;
    const record = ledger.open(makeRun());
    const later = makeRun();
    const laterRecord = ledger.open(later);
    setFault("commit", fault);
    await record.close(makeReport(makeRun()));
    await until(() => ledger.state().unavailable !== null, "the failure is seen");
    assert.throws(() => ledger.open(makeRun()), REFUSED);

    setFault("log", "hang");
    let answered = false;
    const closing = laterRecord.close(makeReport(later)).then(() => (answered = true));
    await sleep(20);
    assert.equal(answered, false, "an answer left before its record was on disk");
    setFault("log", "none");
    await closing;
    assert.equal(ledger.state().pendingRecords, 2);
    assert.equal(stateOf(directory, later), "ended", "a reader sees what the log alone has");

    setFault("commit", "none");
    await untilOpen(tested);
    assert.equal(ledger.state().pendingRecords, 0);
    assert.ok(ledger.state().restarts > 0, "the files were not opened again");
  });

  test(`a log that fails with ${fault}: answers wait for the journal, and it recovers in a new file`, async (t) => {
    const tested = await startLedger(t);
    const { ledger, directory, setFault } = tested;
    const run = makeRun();
    const record = ledger.open(run);
    const [failed = ""] = outcomeFiles(directory);
    setFault("log", fault);
    await record.close(makeReport(run));
    assert.equal(ledger.state().pendingRecords, 0, "an answer left before its record was on disk");
    assert.match(ledger.state().unavailable ?? "", new RegExp(`log of outcomes cannot be written \\(${fault}\\)`));
    assert.throws(() => ledger.open(makeRun()), REFUSED);

    setFault("log", "none");
    await untilOpen(tested);
    assert.ok(!outcomeFiles(directory).includes(failed), "a file whose sync has failed is used again");
    await runOnce(ledger);
    assert.equal(query(directory, "SELECT * FROM ledger_runs").length, 2);
  });

  test(`log and journal that fail with ${fault}: answers in progress are sent, new runs are refused, and all recovers by itself`, async (t) => {
    const tested = await startLedger(t);
    const { ledger, directory, setFault } = tested;
    const underWay = makeRun();
    const record = ledger.open(underWay);
    record.intend(makeIntent()).record();
    const later = makeRun();
    const laterRecord = ledger.open(later);
    setFault("log", fault);
    setFault("commit", fault);

    await record.close(makeReport(underWay));
    assert.throws(() => ledger.open(makeRun()), REFUSED);
    assert.equal(stateOf(directory, underWay), undefined);
    let answered = false;
    void laterRecord.close(makeReport(later)).then(() => (answered = true));
    await settle();
    assert.ok(answered, "an answer waits for a disk that has failed");
    assert.equal(ledger.state().pendingRecords, 2);

    setFault("log", "none");
    setFault("commit", "none");
    await untilOpen(tested);
    assert.equal(ledger.state().pendingRecords, 0);
    assert.equal(stateOf(directory, underWay), "ended");
    assert.equal(stateOf(directory, later), "ended");
    await runOnce(ledger);
    assert.ok(ledger.state().restarts > 0, "the files were not opened again");
  });
}

test("while the disk has no space for new runs, those in progress are still recorded", async (t) => {
  const tested = await startLedger(t);
  const { ledger, directory, setFault } = tested;
  const reserveBytes = (): number => statSync(join(directory, "reserve"), { throwIfNoEntry: false })?.size ?? 0;
  await until(() => reserveBytes() === RESERVE_BYTES, "the reserve is in place");
  const run = makeRun();
  const record = ledger.open(run);
  record.intend(makeIntent()).record();
  setFault("reserve", "ENOSPC");
  setFault("commit", "ENOSPC");
  const unlucky = makeRun();
  await ledger.open(unlucky).close(makeReport(unlucky));
  await until(() => reserveBytes() === 0, "the reserve is given up");
  setFault("commit", "none");
  await until(() => ledger.state().pendingRecords === 0, "what was pending is written");

  assert.throws(() => ledger.open(makeRun()), REFUSED);
  await record.close(makeReport(run));
  assert.equal(stateOf(directory, run), "ended");

  setFault("reserve", "none");
  await untilOpen(tested);
  assert.equal(reserveBytes(), RESERVE_BYTES);
});

test("an intent that cannot be written is refused before the call, and the ledger recovers in a new file", async (t) => {
  let failing = false;
  let tries = 0;
  const beforeIntentWrite = (): undefined => {
    tries += 1;
    if (failing) throw Object.assign(new Error("no space"), { code: "ENOSPC" });
  };
  const tested = await startLedger(t, { faults: { beforeIntentWrite } });
  const { ledger } = tested;
  const run = makeRun();
  const record = ledger.open(run);
  record.intend(makeIntent()).record();

  failing = true;
  assert.throws(() => record.intend(makeIntent({ attempt: 2 })).record(), REFUSED);
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  assert.match(ledger.state().unavailable ?? "", /intent file cannot be written \(ENOSPC\)/);
  // Creating a new file without writing to it must not be enough to accept runs.
  const seen = tries;
  await until(() => {
    assert.throws(() => ledger.open(makeRun()), REFUSED);
    return tries >= seen + 2;
  }, "it was tried again, twice");
  assert.equal(readdirSync(tested.directory).filter((name) => name.startsWith("intents-")).length, 1);

  failing = false;
  await untilOpen(tested);
  record.intend(makeIntent({ attempt: 2 })).record();
  await record.close(makeReport(run));
  await runOnce(ledger);
});

const intentsIn = (directory: string): string =>
  readdirSync(directory)
    .filter((name) => name.startsWith("intents-"))
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .join("");

test("an incomplete write is not an intent, and nothing is ever written after it", async (t) => {
  let allow: number | undefined;
  const tested = await startLedger(t, { faults: { beforeIntentWrite: () => allow } });
  const { ledger, directory } = tested;
  const run = makeRun();
  const record = ledger.open(run);
  record.intend(makeIntent()).record();
  allow = 20;
  assert.throws(() => record.intend(makeIntent({ attempt: 2 })).record(), REFUSED);
  allow = undefined;
  await untilOpen(tested);
  record.intend(makeIntent({ attempt: 2 })).record();

  const [torn = "", next = ""] = readdirSync(directory).filter((name) => name.startsWith("intents-"));
  assert.equal(readFileSync(join(directory, torn), "utf8").split("\n").at(-1)?.length, 20);
  assert.match(readFileSync(join(directory, next), "utf8"), /^\["attempt".*,0,2,.*\]\n$/);
  await record.close(makeReport(run));
});

test("an incomplete write is an intent of none of the runs that share it", async (t) => {
  let allow: number | undefined;
  const tested = await startLedger(t, { faults: { beforeIntentWrite: () => allow } });
  const { ledger, directory } = tested;
  const runs = [makeRun(), makeRun()];
  const records = runs.map((run) => ledger.open(run));
  const pending = records.map((record) => record.intend(makeIntent()));
  // All bytes of the first run, and some of the second.
  allow = 400;
  for (const one of pending) assert.throws(() => one.record(), REFUSED);
  allow = undefined;
  await untilOpen(tested);
  for (const one of pending) assert.throws(() => one.record(), REFUSED);
  assert.doesNotMatch(intentsIn(directory), /attempt/);

  for (const record of records) record.intend(makeIntent()).record();
  assert.equal(
    intentsIn(directory)
      .split("\n")
      .filter((line) => line.startsWith('["run"')).length,
    2,
  );
  for (const [at, record] of records.entries()) await record.close(makeReport(runs[at]!));
});

test("after a failed sync the file of intents is never used again, and runs are refused until there is a new one", async (t) => {
  const tested = await startLedger(t, { limits: { syncIntentsEveryMs: 5 } });
  const { ledger, directory, setFault } = tested;
  const run = makeRun();
  const record = ledger.open(run);
  setFault("sync", "EIO");
  record.intend(makeIntent()).record();
  await until(() => ledger.state().unavailable !== null, "the failure is seen");
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  setFault("sync", "none");
  await untilOpen(tested);
  record.intend(makeIntent({ attempt: 2 })).record();
  assert.equal(readdirSync(directory).filter((name) => name.startsWith("intents-")).length, 2);
  await record.close(makeReport(run));
});

test("when the journal's thread dies, the record of every answer is kept", async (t) => {
  const { ledger, directory, setFault } = await startLedger(t);
  const run = makeRun();
  const record = ledger.open(run);
  record.intend(makeIntent()).record();
  setFault("commit", "exit");
  const closing = record.close(makeReport(run));
  await until(() => ledger.state().restarts === 1, "the thread has died");
  setFault("commit", "none");
  await closing;
  assert.equal(stateOf(directory, run), "ended");
});

test("a disk that hangs delays answers for a limited time, and new runs not at all", async (t) => {
  const tested = await startLedger(t, { limits: { stallMs: 60 } });
  const { ledger, directory, setFault } = tested;
  await untilOpen(tested);
  const run = makeRun();
  const record = ledger.open(run);
  setFault("log", "hang");
  setFault("commit", "hang");
  await record.close(makeReport(run));
  assert.match(ledger.state().unavailable ?? "", /acknowledged nothing/);
  assert.ok(ledger.state().lagMs >= 50);
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  setFault("log", "none");
  setFault("commit", "none");
  await untilOpen(tested);
  assert.equal(stateOf(directory, run), "ended");
});

test("a journal that cannot be opened lets the service start, refuse, and recover", async (t) => {
  const disk = makeDiskFaults();
  setDiskFault(disk, "open", "EIO");
  const tested = await startLedger(t, { faults: { disk } });
  const { ledger } = tested;
  assert.match(ledger.state().unavailable ?? "", /journal cannot be written \(EIO\)/);
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  setDiskFault(disk, "open", "none");
  await untilOpen(tested);
  await runOnce(ledger);
});

test("a log of outcomes that cannot be created lets the service start, refuse, and recover", async (t) => {
  const disk = makeDiskFaults();
  setDiskFault(disk, "log", "ENOSPC");
  const tested = await startLedger(t, { faults: { disk } });
  const { ledger, directory } = tested;
  await until(() => ledger.state().unavailable !== null, "it is known");
  assert.match(ledger.state().unavailable ?? "", /log of outcomes cannot be written \(ENOSPC\)/);
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  setDiskFault(disk, "log", "none");
  await untilOpen(tested);
  await runOnce(ledger);
  assert.equal(outcomeFiles(directory).length, 2, "what could not be made is left behind");
});

test("while the journal hangs and the log works, answers are sent as usual, and new runs are refused", async (t) => {
  const clock = new FakeClock();
  const { stallMs } = LEDGER_LIMITS;
  const tested = await startLedger(t, { clock, limits: { stallMs } });
  const { ledger, directory, setFault } = tested;
  await untilOpen(tested);
  const [run, later] = [makeRun(), makeRun()];
  const laterRecord = ledger.open(later);
  setFault("commit", "hang");
  await runOnce(ledger, run);
  await clock.advance(stallMs);
  assert.match(ledger.state().unavailable ?? "", /acknowledged nothing/);
  await laterRecord.close(makeReport(later));
  assert.equal(readOutcomes(directory, 0).records.length, 2, "an answer left before its record was on disk");
  setFault("commit", "none");
  await untilOpen(tested);
  assert.equal(query(directory, "SELECT 1 FROM ledger_runs").length, 2);
});

test("while the log hangs and the journal works, answers wait for the journal, and all continues when the log is back", async (t) => {
  const tested = await startLedger(t);
  const { ledger, directory, setFault } = tested;
  const run = makeRun();
  setFault("log", "hang");
  await runOnce(ledger, run);
  assert.equal(ledger.state().pendingRecords, 0);
  assert.equal(stateOf(directory, run), "ended");
  setFault("log", "none");
  await Promise.all(Array.from({ length: 10 }, () => runOnce(ledger)));
  await ledger.flush();
  assert.equal(query(directory, "SELECT 1 FROM ledger_runs").length, 11);
});
