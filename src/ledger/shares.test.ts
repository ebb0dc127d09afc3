import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { systemClock } from "../terms/clock.ts";
import { JOURNAL_FILE } from "./journal/journal-database.ts";

import {
  makeAttempt,
  makeCall,
  makeDirectory,
  makeReport,
  makeRun,
  runOnce,
  startLedger,
  until,
} from "./ledger.kit.ts";

const REFUSED = { code: "request.journal_unavailable" };
const ORGANIZATIONS = 60;
const RUNS_OF_EACH = 20;
const MOVE_EVERY_MS = 200;

/** Few, but each with many calls. */
const LARGE_RUNS = 5;
const CALLS_OF_LARGE = 80;

test("the last tenth of the journal is for those with fewer bytes in it, runs that wait for it included", async (t) => {
  const directory = makeDirectory(t);
  const first = await startLedger(t, { directory });
  const ofMany = Array.from({ length: ORGANIZATIONS }, (_, at) =>
    Array.from({ length: RUNS_OF_EACH }, () => `org_${at}`),
  ).flat();
  const ofB = Array.from({ length: 2 * RUNS_OF_EACH }, () => "org_b");
  await Promise.all([...ofMany, ...ofB].map((organizationId) => runOnce(first.ledger, makeRun({ organizationId }))));
  for (let at = 0; at < LARGE_RUNS; at += 1) {
    const run = makeRun({ organizationId: "org_large" });
    const calls = Array.from({ length: CALLS_OF_LARGE }, (_, ordinal) =>
      makeCall({ ordinal, attempts: [makeAttempt(), makeAttempt({ number: 2 })] }),
    );
    await runOnce(first.ledger, run, makeReport(run, { calls }));
  }
  await first.ledger.close();

  // Nine tenths full with what a start adds, a sixteenth of the limit.
  const journalBytesMax = statSync(join(directory, JOURNAL_FILE)).size / (0.92 - 1 / 16);
  let later = 0;
  const clock = {
    ...systemClock,
    now: () => systemClock.now() + later,
    // What has ended stays in memory and in the log.
    after: (ms: number, callback: () => void) => (ms === MOVE_EVERY_MS ? () => {} : systemClock.after(ms, callback)),
  };
  const limits = { journalBytesMax, stallMs: 600_000 };
  const refused: unknown[] = [];
  const quiet = (): void => {};
  const error = (fields: object): void => void refused.push((fields as { organization?: unknown }).organization);
  const log = { info: quiet, warn: quiet, error };
  const { ledger } = await startLedger(t, { directory, clock, limits, log });
  await until(() => refused.length > 0, "the organizations with the most bytes are refused");
  assert.deepEqual(refused, ["org_b", "org_large"]);
  const waiting = Array.from({ length: 4 * RUNS_OF_EACH }, () => runOnce(ledger, makeRun({ organizationId: "org_a" })));
  await Promise.all(waiting);
  assert.equal(ledger.state().pendingRecords, waiting.length);

  // Organizations are counted every half minute, when the size has been measured after a commit.
  later = 31_000;
  await sleep(MOVE_EVERY_MS + 20);
  ledger.noteDrained({ run: 0, wallAt: 0, forgetBefore: 0 });
  await until(() => refused.length > 2, "the one with many that wait is refused too");
  assert.deepEqual(refused.slice(2), ["org_a"]);
  assert.throws(() => ledger.open(makeRun({ organizationId: "org_large" })), REFUSED);
  assert.throws(() => ledger.open(makeRun({ organizationId: "org_a" })), REFUSED);
  await runOnce(ledger, makeRun({ organizationId: "org_1" }));
});
