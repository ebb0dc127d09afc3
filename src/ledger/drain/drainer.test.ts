import assert from "node:assert/strict";
import test, { type TestContext } from "node:test";
import { systemClock } from "../../terms/time/clock.ts";
import { Drainer, type DrainerOptions } from "./drainer.ts";
import { openJournalReader } from "../read/journal-reader.ts";
import {
  atEnd,
  makeDirectory,
  makeReport,
  makeRun,
  query,
  runOnce,
  startLedger,
  until,
  type LedgerUnderTest,
} from "../ledger.kit.ts";
import type { LedgerSink, RowsInColumns, RunBatch } from "../ports.ts";
import { rowsOf, type Row } from "./batch.kit.ts";
import { LedgerRefused } from "../../terms/sink-errors.ts";

type Manner = "works" | "fails" | "hangs" | "applies, then errors";

interface Rows {
  readonly calls: readonly Row[];
  readonly attempts: readonly Row[];
}

/** A shared database in memory: rows by their unique keys, and a count of writes. */
class MemorySink implements LedgerSink {
  manner: Manner = "works";
  readonly rows = new Map<string, Rows>();
  readonly order: string[] = [];
  writes = 0;
  largest = 0;
  /** A run that it always refuses. */
  refuses = "";
  /** Whether it reports that the refusal is permanent. */
  saysSo = false;

  async write(batch: RunBatch): Promise<void> {
    this.writes += 1;
    this.largest = Math.max(this.largest, batch.transactionIds.length);
    if (this.manner === "hangs") return new Promise(() => {});
    if (this.manner === "fails") throw new Error("the database is away");
    if (batch.transactionIds.includes(this.refuses)) {
      throw this.saysSo ? new LedgerRefused("refused with 23502") : new Error("a row is refused");
    }
    for (const id of batch.transactionIds) {
      if (!this.rows.has(id)) this.order.push(id);
      const of = (rows: RowsInColumns): readonly Row[] => rowsOf(rows).filter((row) => row["transaction_id"] === id);
      this.rows.set(id, { calls: of(batch.calls), attempts: of(batch.attempts) });
    }
    if (this.manner === "applies, then errors") throw new Error("the connection was lost");
  }
}

const QUICK = { gatherMs: 1, retryFirstMs: 2, retryMaxMs: 10, writeTimeoutMs: 60, checkMs: 20, batchRuns: 8 };

function startDrainer(
  t: TestContext,
  { ledger, directory }: LedgerUnderTest,
  sink: LedgerSink,
  limits: DrainerOptions["limits"] = {},
): Drainer {
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  const drainer = new Drainer({
    dir: directory,
    ledger,
    sink,
    clock: systemClock,
    log,
    limits: { ...QUICK, ...limits },
  });
  atEnd(t, () => drainer.close());
  return drainer;
}

async function putRuns({ ledger }: LedgerUnderTest, count: number, startedWallAt = Date.now()): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const run = makeRun({ startedWallAt });
    ids.push(run.transactionId);
    await runOnce(ledger, run, makeReport(run));
  }
  await ledger.flush();
  return ids;
}

test("every run is sent once, in order and whole, whether it ended before or after the drainer began", async (t) => {
  const tested = await startLedger(t);
  const sink = new MemorySink();
  const before = await putRuns(tested, 20);
  const drainer = startDrainer(t, tested, sink);
  const after = await putRuns(tested, 20);
  await until(() => sink.rows.size === 40, "all have gone out");
  assert.deepEqual(sink.order, [...before, ...after]);
  const row = sink.rows.get(after[0]!);
  assert.deepEqual([row?.calls.length, row?.attempts.length, row?.attempts[0]?.["transaction_id"]], [1, 1, after[0]]);
  assert.ok(sink.largest <= QUICK.batchRuns);
  assert.deepEqual(drainer.state(), { pendingRuns: 0, lagMs: 0, failures: 0, sent: 40, damaged: 0 });
});

for (const manner of ["fails", "hangs", "applies, then errors"] as const) {
  test(`a sink that ${manner} loses nothing and gets nothing twice`, async (t) => {
    const tested = await startLedger(t);
    const sink = new MemorySink();
    const drainer = startDrainer(t, tested, sink);
    sink.manner = manner;
    const ids = await putRuns(tested, 30);
    await until(() => drainer.state().failures >= 2, "the sink has failed twice");
    assert.ok(drainer.state().pendingRuns >= 22);
    sink.manner = "works";
    await until(() => drainer.state().pendingRuns === 0, "all have gone out");
    assert.deepEqual(sink.order, ids);
    assert.equal(drainer.state().failures, 0);
  });
}

test("a run that the sink refuses is found and delays only the runs after it", async (t) => {
  const tested = await startLedger(t);
  const ids = await putRuns(tested, 12);
  const sink = new MemorySink();
  sink.refuses = ids[5]!;
  const drainer = startDrainer(t, tested, sink);
  await until(() => sink.order.length === 5 && drainer.state().failures >= 4, "it is all that is tried");
  assert.equal(drainer.state().pendingRuns, 7);
  sink.refuses = "";
  await until(() => sink.order.length === 12, "the rest has gone out");
  assert.deepEqual(sink.order, ids);
});

test("after a restart of the service draining continues where it was, or a little before", async (t) => {
  const directory = makeDirectory(t);
  const first = await startLedger(t, { directory });
  const sink = new MemorySink();
  const firstDrainer = startDrainer(t, first, sink);
  const ids = await putRuns(first, 10);
  await until(() => sink.rows.size === 10, "the first ten have gone out");
  sink.manner = "fails";
  ids.push(...(await putRuns(first, 10)));
  await firstDrainer.close();
  await first.ledger.close();

  const second = await startLedger(t, { directory });
  sink.manner = "works";
  const drainer = startDrainer(t, second, sink);
  ids.push(...(await putRuns(second, 10)));
  await until(() => drainer.state().pendingRuns === 0, "all have gone out");
  assert.deepEqual(sink.order, ids);
  assert.ok(drainer.state().sent <= 30);
});

test("runs that have been sent are deleted from the journal after their time, and no others", async (t) => {
  const tested = await startLedger(t);
  const sink = new MemorySink();
  sink.manner = "fails";
  const drainer = startDrainer(t, tested, sink, { keepMs: 50 });
  const ids = await putRuns(tested, 10, 1_000);
  const reader = openJournalReader({ dir: tested.directory });
  atEnd(t, () => reader.close());
  await until(() => query(tested.directory, "SELECT * FROM drained").length === 1, "the journal is an outbox");
  assert.deepEqual(await reader.prune(Date.now()), { deleted: 0, kept_unknown: 0, kept_undrained: 10 });
  sink.manner = "works";
  await until(() => drainer.state().pendingRuns === 0, "all have gone out");
  await until(() => query(tested.directory, "SELECT * FROM ledger_runs").length === 0, "they have left");
  assert.ok(ids.every((id) => sink.rows.has(id)));
});

test("a charge is not settled in a journal that is drained, since no run is sent again", async (t) => {
  const tested = await startLedger(t);
  startDrainer(t, tested, new MemorySink());
  const { transactionId } = makeRun();
  await until(() => query(tested.directory, "SELECT * FROM drained").length === 1, "the journal is an outbox");
  const reader = openJournalReader({ dir: tested.directory });
  atEnd(t, () => reader.close());
  const decision = { transactionId, ordinal: 0, charged: "no", decidedBy: "ada", decidedAt: 5, note: "" } as const;
  await assert.rejects(reader.reconcile(decision), /DATABASE_URL/);
});

test("a run that the database will never accept is set aside and kept, and the others are sent", async (t) => {
  const tested = await startLedger(t);
  const sink = new MemorySink();
  const ids = await putRuns(tested, 20, 1_000);
  sink.refuses = ids[7]!;
  sink.saysSo = true;
  const drainer = startDrainer(t, tested, sink);
  await until(() => sink.rows.size === 19 && drainer.state().pendingRuns === 0, "the others have gone out");
  assert.equal(drainer.state().failures, 0);
  await until(() => query(tested.directory, "SELECT 1 FROM ledger_runs").length === 1, "what has gone out has left");
  assert.deepEqual(
    query(
      tested.directory,
      "SELECT transaction_id, reason FROM ledger_runs AS r JOIN set_aside AS s ON s.run = r.run",
    ).map((row) => Object.values(row)),
    [[ids[7], "refused with 23502"]],
  );
});

test("runs that come while a batch is on its way gather, and go out together", async (t) => {
  const underTest = await startLedger(t);
  const { ledger, directory } = underTest;
  const sink = new MemorySink();
  let answered: Promise<void> = Promise.resolve();
  const gathering: (() => void)[] = [];
  const gatherMs = 7;
  const drainer = new Drainer({
    dir: directory,
    ledger,
    sink: { write: (batch) => Promise.all([sink.write(batch), answered]).then(() => {}) },
    clock: {
      ...systemClock,
      after: (ms, callback) => {
        if (ms !== gatherMs) return systemClock.after(ms, callback);
        gathering.push(callback);
        return () => {};
      },
    },
    log: { info: () => {}, warn: () => {}, error: () => {} },
    limits: { ...QUICK, gatherMs, checkMs: 60_000, writeTimeoutMs: 60_000 },
  });
  atEnd(t, () => drainer.close());
  await until(() => drainer.hasCompared, "it has asked how much the database has");
  await putRuns(underTest, 1);
  await until(() => gathering.length > 0, "it gathers");

  const answer = Promise.withResolvers<void>();
  answered = answer.promise;
  gathering.shift()!();
  await until(() => sink.rows.size === 1, "the first batch is on its way");
  const { writes } = sink;
  await putRuns(underTest, 3);
  answer.resolve();
  await until(() => gathering.length > 0, "it gathers again");
  assert.equal(sink.writes, writes);

  gathering.shift()!();
  await until(() => sink.rows.size === 4, "the others are written");
  assert.equal(sink.writes, writes + 1);
});
