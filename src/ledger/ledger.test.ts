import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { fileURLToPath } from "node:url";
import { systemClock, type Clock } from "../terms/time/clock.ts";
import { Fault } from "../terms/fault.ts";
import {
  makeAttempt,
  makeCall,
  makeDirectory,
  makeIntent,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  stateOf,
  until,
} from "./ledger.kit.ts";
import { JOURNAL_FILE } from "./journal/journal-file.ts";
import { createLedger } from "./ledger.ts";
import { selectionOf } from "./column.ts";
import { RUN_COLUMNS } from "./columns.ts";
import { verdictsOf } from "./journal/verdicts.ts";

const intentFiles = (directory: string): string[] =>
  readdirSync(directory).filter((name) => name.startsWith("intents-"));

test("once an intent is recorded it is in its file, before anything could be sent", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun();
  const record = ledger.open(run);

  record.intend(makeIntent()).record();

  const [file = ""] = intentFiles(directory);
  const lines = readFileSync(join(directory, file), "utf8").split("\n");
  assert.equal(lines.length, 3);
  assert.deepEqual(JSON.parse(lines[0]!).slice(0, 2), ["run", run.transactionId]);
  assert.deepEqual(JSON.parse(lines[1]!).slice(0, 4), ["attempt", run.transactionId, 0, 1]);
  await record.close(makeReport(run));
});

test("runs that send together are recorded in one write, by whichever asks first", async (t) => {
  let writes = 0;
  const beforeIntentWrite = () => void (writes += 1);
  const { ledger, directory } = await startLedger(t, { faults: { beforeIntentWrite } });
  const runs = [makeRun(), makeRun(), makeRun()];
  const records = runs.map((run) => ledger.open(run));
  const pending = records.map((record) => record.intend(makeIntent(), makeIntent({ attempt: 2 })));
  assert.equal(writes, 0);

  pending[1]!.record();

  const text = intentFiles(directory)
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .join("");
  const lines = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as readonly unknown[]);
  assert.deepEqual(
    lines.map(([of, transactionId]) => [of, transactionId]),
    runs.flatMap(({ transactionId }) => ["run", "attempt", "attempt"].map((of) => [of, transactionId])),
  );
  for (const one of pending) one.record();
  assert.equal(writes, 1);
  for (const [at, record] of records.entries()) await record.close(makeReport(runs[at]!));
});

test("a closed run is on disk, with its calls and attempts, before its answer may be sent", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun({ kind: "func", functionId: "dfunc_check", functionVersion: "v7", simulated: true });
  const timeout = new Fault("source.timeout", { afterMs: 50 });
  const report = makeReport(run, {
    tookMs: 80.6,
    clientGone: true,
    functionFault: "function.timeout",
    calls: [
      makeCall({
        credentialId: "cred_1",
        credentialRule: "named",
        attempts: [makeAttempt(), makeAttempt({ number: 2 })],
      }),
      makeCall({
        source: "bell__phone",
        ordinal: 1,
        success: false,
        match: false,
        fault: timeout,
        charged: "unknown",
        attempts: [makeAttempt({ method: "POST", status: null, tookMs: null, charged: "unknown" })],
      }),
    ],
  });

  await runOnce(ledger, run, report);

  const [{ checksum, ...row } = {}] = query(directory, `SELECT ${selectionOf(RUN_COLUMNS, "r")} FROM ledger_runs AS r`);
  assert.equal(typeof checksum, "number");
  assert.deepEqual(row, {
    transaction_id: run.transactionId,
    state: "ended",
    kind: "func",
    organization_id: "org_a",
    workflow_id: "wfl_a",
    token_id: "tok_a",
    context: "prod",
    region: "eu",
    simulated: 1,
    function_id: "dfunc_check",
    client_request_id: run.clientRequestId,
    trace_id: run.trace?.traceId ?? null,
    started_at: run.startedWallAt,
    start_id: null,
    function_version: "v7",
    build: null,
    took_ms: 81,
    client_gone: 1,
    function_fault: "function.timeout",
    has_unknown: 1,
    verdicts: verdictsOf([
      { success: 1, match: 1, charges: 2 },
      { success: 0, match: 0, charges: 4 },
    ]),
    unknown_sources: 0,
    unknown_source_names: null,
  });
  const calls = query(directory, "SELECT * FROM ledger_calls ORDER BY ordinal");
  assert.equal(calls[0]?.["credential_id"], "cred_1");
  assert.equal(calls[0]?.["credential_rule"], "named");
  assert.equal(calls[1]?.["fault_code"], "source.timeout");
  assert.equal(calls[1]?.["fault_kind"], "timeout");
  assert.equal(calls[1]?.["charged"], "unknown");
  const attempts = query(directory, "SELECT ordinal, number, method, status, charged FROM ledger_attempts");
  assert.deepEqual(
    attempts.map((attempt) => Object.values(attempt)),
    [
      [0, 1, "GET", 200, "yes"],
      [0, 2, "GET", 200, "yes"],
      [1, 1, "POST", null, "unknown"],
    ],
  );
});

test("a run without a call is on the ledger too", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun();
  await ledger.open(run).close(makeReport(run, { calls: [makeCall({ attempts: [] })] }));
  assert.equal(stateOf(directory, run), "ended");
  assert.equal(query(directory, "SELECT * FROM ledger_calls").length, 1);
});

test("runs that all end at once are all recorded", async (t) => {
  const { ledger, directory } = await startLedger(t);
  await Promise.all(Array.from({ length: 1_200 }, () => runOnce(ledger)));
  assert.equal(query(directory, "SELECT * FROM ledger_runs").length, 1_200);
  assert.equal(query(directory, "SELECT * FROM ledger_attempts").length, 1_200);
  await ledger.flush();
  assert.equal(ledger.state().pendingBytes, 0);
});

test("closing a run twice records it once, and nothing can be sent for it afterwards", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun();
  const record = await runOnce(ledger, run);
  await record.close(makeReport(run));
  assert.equal(ledger.state().openRuns, 0);
  assert.throws(() => record.intend(makeIntent()).record(), { code: "source.stopped" });
  assert.equal(query(directory, "SELECT * FROM ledger_runs").length, 1);
});

test("a large intent file is replaced, and deleted once all its runs have outcomes", async (t) => {
  const { ledger, directory } = await startLedger(t, { limits: { segmentBytesMax: 2_000 } });
  const slow = makeRun();
  const slowRecord = ledger.open(slow);
  slowRecord.intend(makeIntent()).record();
  const [first] = intentFiles(directory);
  for (let i = 0; i < 30; i += 1) await runOnce(ledger);
  await until(() => intentFiles(directory).length === 2, "only the slow run's file and the newest are left");
  assert.equal(intentFiles(directory)[0], first);

  slowRecord.intend(makeIntent({ attempt: 2 })).record();
  await slowRecord.close(makeReport(slow));
  await until(() => intentFiles(directory).length === 1, "the slow run's file is gone");
  assert.notEqual(intentFiles(directory)[0], first);
});

test("a second service in the same directory is refused, and the first continues", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  assert.throws(() => createLedger({ dir: directory, clock: systemClock, log }), /data directory of its own/);
  const program = fileURLToPath(new URL("./journal/directory-lock.ts", import.meta.url));
  const script = `import { lockDirectory } from ${JSON.stringify(program)}; lockDirectory(process.argv[1]);`;
  const other = spawnSync(process.execPath, ["--input-type=module", "-e", script, directory], { encoding: "utf8" });
  assert.match(other.stderr, /data directory of its own/);
  await runOnce(ledger);
});

test("after the end no run is accepted, the files are whole, and the next service continues where this one ended", async (t) => {
  const first = await startLedger(t);
  await runOnce(first.ledger);
  const record = first.ledger.open(makeRun());
  const last = makeRun();
  const closing = first.ledger.open(last).close(makeReport(last));
  const end = first.ledger.close();
  assert.throws(() => first.ledger.open(makeRun()), { code: "request.journal_unavailable" });
  await Promise.all([closing, end]);
  assert.equal(stateOf(first.directory, last), "ended");
  assert.deepEqual(intentFiles(first.directory), []);
  assert.throws(() => record.intend(makeIntent()).record(), { code: "request.journal_unavailable" });

  const second = await startLedger(t, { directory: first.directory });
  await runOnce(second.ledger);
  assert.deepEqual(
    query(first.directory, "SELECT run FROM ledger_runs ORDER BY run").map(({ run }) => run),
    [1, 2, 3],
  );
});

test("nothing is readable by other users", async (t) => {
  const { ledger, directory } = await startLedger(t, { directory: join(makeDirectory(t), "deep", "ledger") });
  await runOnce(ledger);
  assert.equal(statSync(directory).mode & 0o077, 0);
  for (const name of readdirSync(directory).filter((name) => !name.startsWith("service.lock"))) {
    assert.equal(statSync(join(directory, name)).mode & 0o077, 0, name);
  }
});

test("there is no timer while nothing is pending", async (t) => {
  const timers = new Map<symbol, () => void>();
  const clock: Clock = {
    ...systemClock,
    after: (_, callback) => {
      const key = Symbol("timer");
      timers.set(key, callback);
      return () => timers.delete(key);
    },
  };
  const { ledger } = await startLedger(t, { clock });
  await runOnce(ledger);
  await ledger.flush();
  for (const [key, callback] of timers) {
    timers.delete(key);
    callback();
  }
  assert.equal(timers.size, 0);
});

test("the file of an intent stays until its run has an outcome, however small files are", async (t) => {
  const { ledger, directory } = await startLedger(t, { limits: { segmentBytesMax: 200 } });
  const run = makeRun();
  const record = ledger.open(run);

  record.intend(makeIntent()).record();
  record.intend(makeIntent({ attempt: 2 })).record();

  const kept = intentFiles(directory).map((name) => readFileSync(join(directory, name), "utf8"));
  assert.equal(kept.join("").split("\n").length, 4);
  await record.close(makeReport(run));
});

test("a service starts while another process reads its journal", async (t) => {
  const first = await startLedger(t);
  await runOnce(first.ledger);
  const reader = new DatabaseSync(join(first.directory, JOURNAL_FILE), { readOnly: true });
  reader.exec("BEGIN; SELECT count(*) FROM runs");
  await runOnce(first.ledger);
  await first.ledger.close();

  const { ledger } = await startLedger(t, { directory: first.directory });

  assert.equal(ledger.state().unavailable, null);
  await runOnce(ledger);
  reader.close();
});

test("a process that holds the journal's lock delays no answer", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const operator = new DatabaseSync(join(directory, JOURNAL_FILE));
  operator.exec("BEGIN IMMEDIATE");
  const run = makeRun();
  await runOnce(ledger, run);
  assert.equal(ledger.state().pendingRecords, 1);
  operator.exec("ROLLBACK");
  operator.close();
  await ledger.flush();
  assert.equal(stateOf(directory, run), "ended");
});
