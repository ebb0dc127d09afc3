import assert from "node:assert/strict";
import { appendFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import * as fc from "fast-check";
import { intentFileName, readIntents } from "./intent-files.ts";
import { makeDiskFaults, setDiskFault } from "./disk-faults.ts";
import { makeDirectory, makeIntent, makeRun, query, runOnce, startLedger, stateOf, until } from "../ledger.kit.ts";
import { attemptIntentText, orderText, runIntentText } from "./record-lines.ts";

test("after a crash each attempt without outcome is recorded as unknown, and outcomes that were written stay", async (t) => {
  const done = makeRun();
  const first = await startLedger(t);
  const { directory } = first;
  await runOnce(first.ledger, done);
  await first.ledger.close();
  const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", parentId: "00f067aa0ba902b7", flags: "01" };
  const ofFunction = { kind: "func", functionId: "dfunc_x", functionVersion: "v7", build: "1.2.0" } as const;
  const died = makeRun({ organizationId: "org_b", ...ofFunction, clientRequestId: "mine", trace });
  const headless = makeRun();
  const file = join(directory, intentFileName(7));
  const price = { amount: 350_000n, currency: "EUR" };
  const one = makeIntent({ credentialId: "cred_1", credentialRule: "default", sentWallAt: 1_000, price });
  writeFileSync(file, runIntentText(done) + attemptIntentText(done.transactionId, makeIntent()));
  appendFileSync(file, runIntentText(died) + attemptIntentText(died.transactionId, one));
  appendFileSync(file, orderText(died.transactionId, 0, "o-1"));
  appendFileSync(
    join(directory, intentFileName(8)),
    attemptIntentText(died.transactionId, makeIntent({ attempt: 2, free: true })),
  );
  appendFileSync(
    join(directory, intentFileName(8)),
    "\0\0\0" +
      attemptIntentText(died.transactionId, makeIntent({ ordinal: 1, source: "bell__phone", sourceVersion: "s3" })),
  );
  appendFileSync(join(directory, intentFileName(8)), attemptIntentText(headless.transactionId, makeIntent()));
  appendFileSync(join(directory, intentFileName(8)), '["attempt","trx_damaged",0,1]\n["run","trx_damaged"]\n');
  appendFileSync(join(directory, intentFileName(8)), '["attempt","trx_torn",0,1,"ac');

  const second = await startLedger(t, { directory });

  assert.ok(second.events.includes("ledger_recovered_intents"));
  assert.equal(stateOf(directory, done), "ended");
  assert.equal(stateOf(directory, died), "unknown");
  assert.equal(stateOf(directory, headless), "unknown");
  assert.equal(query(directory, "SELECT * FROM ledger_runs").length, 3);
  const ofCaller = "SELECT transaction_id FROM ledger_runs WHERE client_request_id = 'mine' AND trace_id = ?";
  assert.deepEqual(
    query(directory, ofCaller, trace.traceId).map((run) => run["transaction_id"]),
    [died.transactionId],
  );
  const calls = query(
    directory,
    "SELECT source, source_version, function_version, build, charged, success, credential_id, organization_id, order_id FROM ledger_calls JOIN ledger_runs USING (transaction_id) WHERE transaction_id = ?",
    died.transactionId,
  );
  assert.deepEqual(
    calls.map((call) => Object.values(call)),
    [
      ["acme__people", null, "v7", "1.2.0", "unknown", null, "cred_1", "org_b", "o-1"],
      ["bell__phone", "s3", "v7", "1.2.0", "unknown", null, null, "org_b", null],
    ],
  );
  const attempts = query(
    directory,
    "SELECT ordinal, number, charged, price, currency FROM ledger_attempts WHERE transaction_id = ?",
    died.transactionId,
  );
  assert.deepEqual(
    attempts.map((attempt) => Object.values(attempt)),
    [
      [0, 1, "unknown", 350_000, "EUR"],
      [0, 2, "no", null, null],
      [1, 1, "unknown", null, null],
    ],
  );
  const left = readdirSync(directory).filter((name) => name.startsWith("intents-"));
  assert.deepEqual(left, [intentFileName(9)]);
});

test("whatever an id contains, it is one line, and is read back as it was", (t) => {
  const file = join(makeDirectory(t), "intents-00000001.log");
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: "binary", maxLength: 30 }), { minLength: 1, maxLength: 5 }),
      fc.constantFrom("\n", "\0", "\ud800", "\u2028", '"],["attempt"', "\r\n", "\\", ""),
      (sources, nasty) => {
        const run = makeRun({ organizationId: `org${nasty}` });
        const texts = sources.map((source, ordinal) =>
          attemptIntentText(run.transactionId, makeIntent({ source: source + nasty, ordinal })),
        );
        writeFileSync(file, runIntentText(run) + texts.join(""));
        const [head, ...attempts] = readIntents(file);
        assert.ok(head?.of === "run");
        assert.equal(head.run.organization_id, run.organizationId);
        assert.deepEqual(
          attempts.map((line) => line?.of === "attempt" && line.attempt.source),
          sources.map((source) => source + nasty),
        );
      },
    ),
  );
});

test("a disk that fails once while files are removed does not keep the journal from opening", async (t) => {
  const directory = makeDirectory(t);
  const died = makeRun();
  writeFileSync(
    join(directory, intentFileName(3)),
    runIntentText(died) + attemptIntentText(died.transactionId, makeIntent()),
  );
  const disk = makeDiskFaults();
  setDiskFault(disk, "recovery", "EIO");

  const { ledger } = await startLedger(t, { directory, faults: { disk } });
  assert.notEqual(ledger.state().unavailable, null);
  setDiskFault(disk, "recovery", "none");

  await until(() => ledger.state().unavailable === null, "runs are taken again");
  assert.equal(stateOf(directory, died), "unknown");
  await runOnce(ledger);
});
