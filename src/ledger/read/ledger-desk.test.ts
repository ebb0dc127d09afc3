import assert from "node:assert/strict";
import test from "node:test";
import { openLedgerDesk } from "./ledger-desk.ts";
import { atEnd, makeDirectory, makeReport, makeRun, runOnce, startLedger, makeCall } from "../ledger.kit.ts";

test("the desk answers as a reader does, from another thread", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const run = makeRun();
  await runOnce(ledger, run, makeReport(run, { calls: [makeCall({ charged: "unknown", attempts: [] })] }));
  const desk = openLedgerDesk({ dir: directory });
  atEnd(t, () => desk.close());

  const [page, row, unknown] = await Promise.all([desk.list({}), desk.show(run.transactionId), desk.unknown()]);
  assert.equal(page.runs[0]?.transaction_id, run.transactionId);
  assert.equal(row?.calls.length, 1);
  assert.equal(unknown.length, 1);
  const decision = { transactionId: run.transactionId, ordinal: 0, decidedBy: "ada", decidedAt: 1, note: "n" } as const;
  assert.deepEqual(await desk.reconcile({ ...decision, charged: "no" }), { attempts: 0, charged: "no" });
  await assert.rejects(desk.summary("no month"), /a month is written/);
  assert.deepEqual(await desk.summary("2026-03"), []);
});

test("a desk without a ledger says so, and answers once there is one", async (t) => {
  const directory = makeDirectory(t);
  const desk = openLedgerDesk({ dir: directory });
  atEnd(t, () => desk.close());
  await assert.rejects(desk.list({}), /there is no ledger/);
  const { ledger } = await startLedger(t, { directory });
  await runOnce(ledger);
  assert.equal((await desk.list({})).runs.length, 1);
});

test("closing a desk lets no question wait for ever", async (t) => {
  const { directory } = await startLedger(t);
  const desk = openLedgerDesk({ dir: directory });
  const asked = assert.rejects(desk.list({}), /has ended/);
  await desk.close();
  await asked;
});
