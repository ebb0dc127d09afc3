import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import type { RunReport } from "../run/ports.ts";
import { makeReport, makeRun, query, runOnce, startLedger, until } from "./ledger.kit.ts";

const REFUSED = { code: "request.journal_unavailable" };

test("records that wait for the disk are limited in number and in bytes", async (t) => {
  for (const limits of [{ recordsMax: 5 }, { recordBytesMax: 2_000 }]) {
    const tested = await startLedger(t, { limits });
    const { ledger, setFault } = tested;
    setFault("commit", "hang");
    const closing: Promise<void>[] = [];
    const fill = (): void => {
      for (let i = 0; i < 100; i += 1) {
        const run = makeRun();
        closing.push(Promise.resolve(ledger.open(run).close(makeReport(run))));
      }
    };
    assert.throws(fill, REFUSED);
    assert.ok(closing.length >= 4 && closing.length <= 10);
    await Promise.all(closing);
    assert.throws(fill, REFUSED);
    setFault("commit", "none");
    await ledger.flush();
    await runOnce(ledger);
  }
});

test("while the disk is slow, one organization's records leave room for those of others", async (t) => {
  // As long as the bytes are in UTF-8; half as many characters.
  const long = { kind: "func", functionId: "ж".repeat(128) } as const;
  for (const [limits, changes] of [
    [{ recordsMax: 40 }, {}],
    [{ recordBytesMax: 20_000 }, long],
  ] as const) {
    const { ledger, setFault } = await startLedger(t, { limits });
    await runOnce(ledger, makeRun({ organizationId: "org_b" }));
    setFault("commit", "hang");
    const fill = (organizationId: string): number => {
      for (let count = 0; ; count += 1) {
        const run = makeRun({ organizationId, ...changes });
        try {
          void ledger.open(run).close(makeReport(run));
        } catch {
          return count;
        }
      }
    };
    const ofA = fill("org_a");
    const { pendingBytes } = ledger.state();
    const ofB = fill("org_b");
    assert.ok(ofA > 2 && ofB >= ofA / 2 - 1, `a has ${ofA}, b has ${ofB}`);
    if ("recordBytesMax" in limits)
      assert.ok(Math.abs(pendingBytes - limits.recordBytesMax / 2) < 700, `${pendingBytes} bytes of half`);
    setFault("commit", "none");
    await ledger.flush();
  }
});

test("at its configured size the journal accepts no run, reports it at half of that, and continues once there is room", async (t) => {
  const tested = await startLedger(t, { limits: { journalBytesMax: 400_000 } });
  const { ledger, directory, events } = tested;
  const started: RunReport[] = [];
  await until(() => {
    if (ledger.state().unavailable !== null) return true;
    for (let i = 0; i < 10; i += 1) {
      const run = makeRun();
      started.push(makeReport(run));
      void ledger.open(run).close(started.at(-1)!);
    }
    return false;
  }, "the journal is full");
  assert.throws(() => ledger.open(makeRun()), REFUSED);
  assert.equal(ledger.state().alarm, true);
  assert.ok(events.includes("ledger_alarm"));
  await until(() => ledger.state().pendingRecords === 0, "the last of them are written");
  assert.equal(query(directory, "SELECT * FROM ledger_runs").length, started.length);

  const operator = new DatabaseSync(join(directory, "journal.db"), { timeout: 2_000 });
  operator.exec("DELETE FROM runs; DELETE FROM calls; DELETE FROM attempts; PRAGMA wal_checkpoint(TRUNCATE)");
  operator.close();
  await until(() => ledger.state().unavailable === null, "runs are taken again");
  await runOnce(ledger);
});

test("one organization cannot fill the journal for all: the last part is for those that hold less", async (t) => {
  const journalBytesMax = 4_000_000;
  const { ledger, events } = await startLedger(t, { limits: { journalBytesMax } });
  await runOnce(ledger, makeRun({ organizationId: "org_b" }));
  // Files that are used again make the size rise and fall by a tenth of a megabyte. From nearly full to full it is four of
  // them, and before each step on that way the size is known and, if need be, the organization counted.
  let refusals: readonly unknown[] = [];
  while (refusals.length === 0) {
    const { journalBytes: before } = ledger.state();
    const isNear = before > 0.8 * journalBytesMax;
    const runs = Array.from({ length: isNear ? 40 : 200 }, () => runOnce(ledger, makeRun({ organizationId: "org_a" })));
    const ended = await Promise.allSettled(runs);
    refusals = ended.flatMap((run) => (run.status === "rejected" ? [run.reason] : []));
    await until(() => ledger.state().pendingRecords === 0, "what has ended is in the journal");
    if (!isNear || refusals.length > 0) continue;
    await until(() => ledger.state().journalBytes !== before, "the size is known");
    const isNarrow = (): boolean => ledger.state().journalBytes > 0.9 * journalBytesMax;
    await until(() => !isNarrow() || events.includes("ledger_share_used"), "the organization is counted");
  }
  for (const refusal of refusals)
    assert.throws(() => {
      throw refusal;
    }, REFUSED);
  assert.ok(events.includes("ledger_share_used"));
  assert.equal(ledger.state().unavailable, null);
  await runOnce(ledger, makeRun({ organizationId: "org_b" }));
});
