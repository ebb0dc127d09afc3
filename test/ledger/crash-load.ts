/**
 * A service in miniature for the crash tests: runs at a steady rate, each calling scripted vendors, until it is killed.
 * What the outside saw is in plain files, appended by single writes: `opened` (runs begun), `vendor` (requests the
 * vendor received), `answered` (answers that left).
 */
import { openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { createLedger } from "../../src/ledger/ledger.ts";
import type { AttemptReport, CallReport, RunIntent, RunRecord } from "../../src/run/ports.ts";
import { systemClock } from "../../src/terms/time/clock.ts";
import { newId } from "../../src/terms/ids.ts";
import { PRICE } from "./crash-price.ts";

const [directory = "", seen = "", runsPerSecond = ""] = process.argv.slice(2);
const opened = openSync(join(seen, "opened"), "a");
const vendor = openSync(join(seen, "vendor"), "a");
const answered = openSync(join(seen, "answered"), "a");
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

const ledger = createLedger({
  dir: join(directory),
  clock: systemClock,
  log: quiet,
  // Small files, so that a kill also meets a change of file.
  limits: { segmentBytesMax: 64 * 1024, outcomeFileBytes: 64 * 1024, reserveBytes: 64 * 1024, syncIntentsEveryMs: 20 },
});
await ledger.ready;
writeSync(1, "ready\n");

const startedAt = systemClock.now();
let started = 0;
setInterval(() => {
  const due = ((systemClock.now() - startedAt) * Number(runsPerSecond)) / 1_000;
  for (; started < due; started += 1) void runOnce(started);
}, 1);

async function runOnce(number: number): Promise<void> {
  const callCount = number % 4;
  const run: RunIntent = {
    transactionId: newId("transaction", systemClock.wall()),
    kind: "data",
    organizationId: "org_a",
    workflowId: "wfl_a",
    tokenId: "tok_a",
    context: "prod",
    region: "eu",
    simulated: false,
    functionVersion: null,
    build: null,
    functionId: null,
    clientRequestId: null,
    trace: null,
    startedWallAt: systemClock.wall(),
  };
  writeSync(opened, `${run.transactionId} ${callCount}\n`);
  const record = ledger.open(run);
  const calls = await Promise.all(Array.from({ length: callCount }, (_, ordinal) => callVendor(run, record, ordinal)));
  await record.close({ ...run, tookMs: 1, clientGone: false, calls });
  writeSync(answered, `${run.transactionId}\n`);
}

async function callVendor(run: RunIntent, record: RunRecord, ordinal: number): Promise<CallReport> {
  const attempts: AttemptReport[] = [];
  for (let number = 1; number <= (ordinal === 2 ? 2 : 1); number += 1) {
    const intent = { origin: "https://vendor.example", method: "GET", sentWallAt: systemClock.wall() };
    record
      .intend({
        ...intent,
        source: `vendor__${ordinal}`,
        sourceVersion: `version ${ordinal}`,
        ordinal,
        attempt: number,
        credentialId: null,
        credentialRule: "none",
        free: false,
        price: PRICE,
      })
      .record();
    writeSync(vendor, `${run.transactionId} ${ordinal} ${number}\n`);
    attempts.push({ ...intent, number, status: 200, tookMs: 5, charged: "yes", price: PRICE });
    await new Promise((resolve) => setTimeout(resolve, 2 + Math.random() * 30));
  }
  return {
    source: `vendor__${ordinal}`,
    sourceVersion: `version ${ordinal}`,
    ordinal,
    success: true,
    match: true,
    fault: null,
    credentialId: null,
    credentialRule: "none",
    charged: "yes",
    startedAfterMs: 0,
    tookMs: 5,
    orderId: null,
    outputBytes: 100,
    attempts,
  };
}
