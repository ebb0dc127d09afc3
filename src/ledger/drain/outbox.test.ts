import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { JOURNAL_FILE } from "../journal/journal-file.ts";
import { JournalTables } from "../journal/journal-tables.ts";
import { atEnd, makeAttempt, makeCall, makeReport, makeRun, runOnce, startLedger } from "../ledger.kit.ts";
import type { RunBatch } from "../ports.ts";
import { readRuns } from "../read/read-runs.ts";
import { batchOf } from "./batch-builder.ts";
import { Outbox } from "./outbox.ts";

const RUNS = 150;
const DAMAGED = 100;
/** A run whose calls still exist. */
const GONE = 20;

test("what goes out is what is read by name, also beyond a run that is gone, and up to one that is damaged", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const price = { amount: 25_000n, currency: "EUR" };
  const ids = await Promise.all(
    Array.from({ length: RUNS }, async (_, at) => {
      const run = makeRun({ organizationId: `org_${at % 3}`, functionId: at % 5 === 0 ? "dfunc_\u0000" : null });
      const calls = Array.from({ length: at % 4 }, (_unused, ordinal) => {
        const attempts = Array.from({ length: (at + ordinal) % 3 }, (_none, number) =>
          makeAttempt({ number: number + 1, price: ordinal === 1 ? price : null, status: number === 0 ? null : 200 }),
        );
        return makeCall({ ordinal, source: `acme__${ordinal}`, orderId: at % 7 === 0 ? "order" : null, attempts });
      });
      await runOnce(ledger, run, makeReport(run, { calls }));
      return run.transactionId;
    }),
  );
  await ledger.flush();
  const database = new DatabaseSync(join(directory, JOURNAL_FILE), { timeout: 5_000 });
  database.exec(`DELETE FROM runs WHERE id = ${GONE}; UPDATE runs SET took_ms = took_ms + 1 WHERE id = ${DAMAGED}`);
  database.close();

  const tables = new JournalTables(directory);
  const outbox = new Outbox(directory);
  atEnd(t, () => (outbox.close(), tables.close()));
  const assertReadByName = async (batch: RunBatch): Promise<void> => {
    const found = await readRuns(tables.query, batch.transactionIds);
    assert.deepEqual(batch, batchOf(found.flatMap(({ row }) => row ?? [])));
  };
  const first = (await outbox.next(512))!;
  assert.deepEqual([first.runs.transactionIds.length, first.upTo], [DAMAGED - 2, DAMAGED - 1]);
  await assertReadByName(first.runs);
  outbox.markSent(first);
  const damaged = (await outbox.next(512))!;
  assert.deepEqual([damaged.upTo, damaged.damaged?.number], [DAMAGED, DAMAGED]);
  outbox.markSent(damaged);
  const rest = (await outbox.next(512))!;
  await assertReadByName(rest.runs);
  const sent = [...first.runs.transactionIds, ...rest.runs.transactionIds];
  assert.deepEqual([sent.length, rest.upTo], [RUNS - 2, RUNS]);
  assert.ok(sent.every((id) => ids.includes(id)));
});
