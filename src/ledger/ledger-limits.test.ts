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
        closing.push(ledger.open(run).close(makeReport(run)));
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

test("while the disk is slow, one organization's records leave capacity for those of others", async (t) => {
  // The same length in bytes of UTF-8, half as many characters.
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

test("at its configured size the journal accepts no run, reports it at half of that, and continues once there is space", async (t) => {
  const tested = await startLedger(t, { limits: { journalBytesMax: 400_000 } });
  const { ledger, directory, events } = tested;
  const started: RunReport[] = [];
  await until(() => {
    if (ledger.state().unavailable !== null) return true;
    for (let i = 0; i < 10; i += 1) {
      // The last part is for organizations that use little of the journal.
      const run = makeRun({ organizationId: `org_${started.length}` });
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

test("one organization cannot fill the journal for one that has nothing in it yet, and is not refused for ever", async (t) => {
  const { ledger, directory, events } = await startLedger(t, {
    limits: { journalBytesMax: 8_000_000 },
  });
  const oneOf = async (organizationId: string): Promise<unknown> => {
    try {
      await runOnce(ledger, makeRun({ organizationId }));
      return null;
    } catch (error) {
      return error;
    }
  };
  let refusals: readonly unknown[] = [];
  while (refusals.length === 0)
    refusals = (await Promise.all(Array.from({ length: 40 }, () => oneOf("org_a")))).filter((error) => error !== null);
  // Writes far more than fits, while replaced files make the size rise and fall.
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 20 }, () => oneOf("org_a")));
    if (round % 10 === 0) assert.equal(await oneOf("org_b"), null, `round ${round}`);
  }
  assert.throws(() => {
    throw refusals[0];
  }, REFUSED);
  assert.equal(ledger.state().unavailable, null);
  assert.equal(events.filter((event) => event === "ledger_share_used").length, 1);

  const operator = new DatabaseSync(join(directory, "journal.db"), { timeout: 30_000 });
  operator.exec("DELETE FROM runs; DELETE FROM calls; DELETE FROM attempts; PRAGMA wal_checkpoint(TRUNCATE)");
  operator.close();
  await until(() => {
    // The size is measured after a commit.
    void runOnce(ledger, makeRun({ organizationId: "org_b" }));
    try {
      void runOnce(ledger, makeRun({ organizationId: "org_a" })).catch(() => {});
      return ledger.state().journalBytes < 4_000_000;
    } catch {
      return false;
    }
  }, "the size is known");
  assert.equal(await oneOf("org_a"), null);
});
