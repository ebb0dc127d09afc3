import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { rmSync, statfsSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "node:test";
import {
  atEnd,
  makeDirectory,
  makeIntent,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  until,
} from "../../src/ledger/ledger.kit.ts";
import type { RunIntent } from "../../src/run/ports.ts";

const DISK = "size=8m";
const RESERVE_BYTES = 1024 * 1024;

/** Mounting a disk of its own size takes rights that not every machine gives; the seams in `ledger-failures.test.ts` need none. */
function mountDisk(path: string): boolean {
  return process.getuid?.() === 0 && spawnSync("mount", ["-t", "tmpfs", "-o", DISK, "tmpfs", path]).status === 0;
}

test("on a disk that is really full nothing goes unrecorded, and it recovers when there is space", async (t) => {
  const directory = makeDirectory(t);
  if (!mountDisk(directory)) {
    t.diagnostic("not run: no right to mount a disk here");
    return;
  }
  atEnd(t, () => void spawnSync("umount", [directory]));
  const { ledger } = await startLedger(t, {
    directory: join(directory, "ledger"),
    limits: { reserveBytes: RESERVE_BYTES, journalBytesMax: 1024 * 1024 * 1024, segmentBytesMax: 256 * 1024 },
  });
  const reserve = join(directory, "ledger", "reserve");
  await until(() => statSync(reserve, { throwIfNoEntry: false })?.size === RESERVE_BYTES, "the reserve is in place");
  // Somebody else fills the disk, but for a little.
  const { bavail, bsize } = statfsSync(directory);
  const waste = join(directory, "waste");
  writeFileSync(waste, Buffer.alloc(bavail * bsize - 700_000));

  const called: RunIntent[] = [];
  const underWay = makeRun();
  const underWayRecord = ledger.open(underWay);
  underWayRecord.intend(makeIntent()).record();
  called.push(underWay);
  const startedAt = performance.now();
  while (ledger.state().unavailable === null) {
    assert.ok(performance.now() - startedAt < 60_000, "the disk never became full");
    const batch: Promise<unknown>[] = [];
    for (let i = 0; i < 20; i += 1) {
      const run = makeRun();
      try {
        const record = ledger.open(run);
        record.intend(makeIntent()).record();
        called.push(run);
        batch.push(Promise.resolve(record.close(makeReport(run))));
      } catch {
        // Refused before its vendor was called: what a full disk must lead to.
        break;
      }
    }
    await Promise.all(batch);
  }
  assert.throws(() => ledger.open(makeRun()), { code: "request.journal_unavailable" });
  await underWayRecord.close(makeReport(underWay));

  rmSync(waste);
  await until(() => ledger.state().unavailable === null && ledger.state().pendingRecords === 0, "it has recovered");
  await runOnce(ledger);
  const rows = query(join(directory, "ledger"), "SELECT transaction_id FROM ledger_runs WHERE state = 'ended'");
  const recorded = new Set(rows.map((row) => row["transaction_id"]));
  assert.deepEqual(
    called.filter((run) => !recorded.has(run.transactionId)),
    [],
  );
  t.diagnostic(`${called.length} runs, all recorded`);
});
