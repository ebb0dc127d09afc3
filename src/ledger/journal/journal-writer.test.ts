import assert from "node:assert/strict";
import type { DatabaseSync } from "node:sqlite";
import { test, type TestContext } from "node:test";
import * as fc from "fast-check";
import { makeAttempt, makeCall, makeDirectory, makeReport, makeRun } from "../ledger.kit.ts";
import { openJournal } from "./journal-database.ts";
import { JournalWriter } from "./journal-writer.ts";
import { recordText, type RunRecordLine } from "./record-lines.ts";

function newJournal(t: TestContext): DatabaseSync {
  const database = openJournal(makeDirectory(t), 1_048_576, false);
  t.after(() => database.close());
  return database;
}

/** A run with calls of so many requests each. */
function recordOf(transactionId: string, requests: readonly number[]): RunRecordLine {
  const calls = requests.map((count, ordinal) =>
    makeCall({
      ordinal,
      source: `acme__${ordinal % 3}`,
      attempts: Array.from({ length: count }, (_, at) => makeAttempt({ number: at + 1, tookMs: 100 * ordinal + at })),
    }),
  );
  return JSON.parse(recordText(makeReport(makeRun({ transactionId }), { calls }))) as RunRecordLine;
}

/** Of each run: of each of its calls, how long its requests took. */
function readBack(database: DatabaseSync): unknown[] {
  const calls = database.prepare("SELECT run, ordinal FROM calls ORDER BY run, ordinal").all();
  const times = database.prepare("SELECT took_ms FROM attempts WHERE run = ? AND ordinal = ? ORDER BY number");
  return database
    .prepare("SELECT id, transaction_id FROM runs ORDER BY id")
    .all()
    .map(({ id, transaction_id }) => [
      transaction_id,
      calls
        .filter(({ run }) => run === id)
        .map(({ ordinal }) => times.all(id!, ordinal!).map(({ took_ms }) => took_ms as number)),
    ]);
}

test("whatever runs are written together, each has all its calls and requests, once", (t) => {
  const database = newJournal(t);
  const writer = new JournalWriter(database);
  const aRun = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 20 });
  let number = 0;
  fc.assert(
    fc.property(fc.array(fc.array(aRun, { maxLength: 6 }), { maxLength: 3 }), (groups) => {
      database.exec("DELETE FROM runs; DELETE FROM calls; DELETE FROM attempts");
      const written: unknown[] = [];
      for (const group of groups) {
        const records = group.map((requests) => {
          const transactionId = `trx_${(number += 1)}`;
          const times = requests.map((count, ordinal) => Array.from({ length: count }, (_, at) => 100 * ordinal + at));
          written.push([transactionId, times]);
          return recordOf(transactionId, requests);
        });
        writer.addAll(records);
        // The journal has them already.
        writer.addAll(records);
      }
      assert.deepEqual(readBack(database), written);
    }),
    { numRuns: 60 },
  );
});

test("however many runs are written together, SQLite is not given more values than it takes", (t) => {
  const database = newJournal(t);
  const requests = Array<number>(20).fill(1);
  new JournalWriter(database).addAll(Array.from({ length: 200 }, (_, at) => recordOf(`trx_${at}`, requests)));
  assert.equal(database.prepare("SELECT count(*) AS rows FROM attempts").get()!.rows, 4_000);
});

test("a row that damage has left of another run stays as it is, and those written with it are not lost", (t) => {
  const database = newJournal(t);
  database.exec(
    `INSERT INTO attempts (run, ordinal, number, origin, method, sent_at, took_ms, charged) VALUES (1, 1, 2, 1, 1, 0, 7, 1)`,
  );
  new JournalWriter(database).addAll([recordOf("trx_1", [2, 2, 2])]);
  assert.deepEqual(readBack(database), [
    [
      "trx_1",
      [
        [0, 1],
        [100, 7],
        [200, 201],
      ],
    ],
  ]);
});

test("a row that cannot be written is an error, whatever it is written with", (t) => {
  for (const requests of [[1], [3, 3, 3]]) {
    const database = newJournal(t);
    database.exec("CREATE UNIQUE INDEX one_of_a_status ON attempts (status)");
    const write = (): void => new JournalWriter(database).addAll([recordOf("trx_1", requests), recordOf("trx_2", [1])]);
    assert.throws(write, /UNIQUE constraint failed/);
  }
});
