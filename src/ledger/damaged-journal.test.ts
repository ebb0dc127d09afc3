import { exportRuns } from "./read/export-runs.ts";
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { systemClock } from "../terms/time/clock.ts";
import { Drainer } from "./drain/drainer.ts";
import { JOURNAL_FILE } from "./journal/journal-file.ts";
import { openJournalReader } from "./read/journal-reader.ts";
import { atEnd, makeCall, makeReport, makeRun, query, runOnce, startLedger, until } from "./ledger.kit.ts";
import type { LedgerSink } from "./ports.ts";

const HOUR = 60 * 60 * 1_000;
const DAY = 24 * HOUR;

async function putRuns(
  { ledger }: Awaited<ReturnType<typeof startLedger>>,
  count: number,
  calls = 1,
): Promise<string[]> {
  const ids: string[] = [];
  const now = Date.now();
  for (let at = 0; at < count; at += 1) {
    const run = makeRun({ startedWallAt: now - 10 * DAY + at * HOUR });
    ids.push(run.transactionId);
    const made = Array.from({ length: calls }, (_, ordinal) => makeCall({ ordinal }));
    await runOnce(ledger, run, makeReport(run, { calls: made }));
  }
  await ledger.flush();
  return ids;
}

/** Changes the journal as a faulty disk would. */
function alter(directory: string, sql: string): void {
  const database = new DatabaseSync(join(directory, JOURNAL_FILE), { timeout: 5_000 });
  database.exec(sql);
  database.close();
}

/** Overwrites the page with the first rows of a table or entries of an index, so that it is malformed. */
function ruinFirstPage(directory: string, name: string): void {
  const path = join(directory, JOURNAL_FILE);
  const [schema] = query(directory, "SELECT rootpage FROM sqlite_schema WHERE name = ?", name);
  const bytes = readFileSync(path);
  const pageAt = (number: number): number => (number - 1) * 4_096;
  let at = pageAt(Number(schema?.["rootpage"]));
  // Pages of type 2 and 5 are interior pages. After 12 bytes of header come the offsets of their cells, and each cell
  // begins with a page number.
  while (bytes[at] === 2 || bytes[at] === 5) at = pageAt(bytes.readUInt32BE(at + bytes.readUInt16BE(at + 12)));
  bytes[at] = 0;
  writeFileSync(path, bytes);
}

function memorySink(): LedgerSink & { readonly ids: string[] } {
  const ids: string[] = [];
  return {
    ids,
    write: async (batch) => {
      ids.push(...batch.transactionIds);
    },
  };
}

test("a damaged run is not sent to the shared database but logged and kept, and the others are sent", async (t) => {
  const tested = await startLedger(t);
  const { directory, ledger } = tested;
  const ids = await putRuns(tested, 20);
  alter(directory, "UPDATE runs SET took_ms = took_ms + 1 WHERE id = 3");
  alter(directory, "UPDATE calls SET output_bytes = 9223372036854775807 WHERE run = 7");
  alter(directory, "UPDATE runs SET started_at = 9223372036854775807 WHERE id = 9");
  alter(directory, "UPDATE runs SET checksum = NULL WHERE id = 20");
  const sink = memorySink();
  const told: unknown[] = [];
  const quiet = (): void => {};
  const error = (fields: object): void => void told.push((fields as { transaction_id?: unknown }).transaction_id);
  const drainer = new Drainer({
    dir: directory,
    ledger,
    sink,
    clock: systemClock,
    log: { info: quiet, warn: quiet, error },
  });
  atEnd(t, () => drainer.close());
  await until(() => drainer.state().pendingRuns === 0, "all that can go have gone out");
  const kept = [3, 7, 9, 20].map((number) => ids[number - 1]!);
  assert.deepEqual(
    sink.ids,
    ids.filter((id) => !kept.includes(id)),
  );
  assert.deepEqual(told, kept);
  assert.equal(drainer.state().damaged, 4);
  await until(() => query(directory, "SELECT 1 FROM set_aside").length === 4, "that is noted");
  await until(() => query(directory, "SELECT 1 FROM runs").length === 4, "what has gone out has left");
});

test("in a journal with a malformed page, its runs are named, the others are read, deletion reports it, and runs are accepted", async (t) => {
  const first = await startLedger(t);
  const { directory } = first;
  const ids = await putRuns(first, 60, 4);
  await first.ledger.close();
  ruinFirstPage(directory, "calls");

  const second = await startLedger(t, { directory });
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const verified = await reader.verify();
  const unreadable = verified.findings.map(({ transactionId }) => transactionId);
  assert.ok(verified.damaged > 0 && verified.damaged < 60);
  assert.equal(verified.ok + verified.damaged, 60);
  assert.deepEqual(unreadable, ids.slice(0, verified.damaged));
  assert.ok(verified.structure.length > 0);

  const list = await reader.list({}, { limit: 100 });
  assert.deepEqual(list.damaged.toSorted(), unreadable.toSorted());
  assert.equal(list.runs.length, verified.ok);
  const leftOut: string[] = [];
  let lines = 0;
  for await (const page of exportRuns(reader, {}, "jsonl")) {
    lines += page.text.split("\n").length - 1;
    leftOut.push(...page.damaged);
  }
  assert.equal(lines, verified.ok);
  assert.deepEqual(leftOut, unreadable);
  await assert.rejects(reader.show(ids[0]!), /is damaged, and cannot be read/);
  await assert.rejects(reader.prune(Date.now()), /The ledger is damaged where runs were to be deleted/);
  assert.ok(second.events.includes("ledger_journal_damaged"));
  assert.equal(second.ledger.state().damageMet, 1);
  await runOnce(second.ledger);
  assert.equal(second.ledger.state().unavailable, null);
  assert.equal((await reader.verify()).ok, verified.ok + 1);
});

for (const name of ["runs", "runs_by_time", "sqlite_autoindex_runs_1"])
  test(`where ${name} has a malformed page, no list and no export is shorter without saying so, and runs are accepted`, async (t) => {
    const first = await startLedger(t);
    const { directory } = first;
    const ids = await putRuns(first, 60, 4);
    await first.ledger.close();
    ruinFirstPage(directory, name);
    const before = query(directory, "SELECT count(*) AS runs FROM calls");

    const second = await startLedger(t, { directory });
    const reader = openJournalReader({ dir: directory });
    atEnd(t, () => reader.close());
    const verified = await reader.verify();
    assert.ok(verified.structure.length > 0);
    assert.equal(verified.ok + verified.damaged + verified.missing, ids.length);
    const listed = await reader
      .list({}, { limit: 100 })
      .then(({ runs, damaged }) => runs.length + damaged.length, said);
    assert.ok(
      listed === ids.length || /^The ledger is damaged: .*"datarun ledger verify"/.test(String(listed)),
      `${listed}`,
    );
    let exported = 0;
    const exporting = async () => {
      for await (const { runs } of exportRuns(reader, {}, "jsonl")) exported += runs;
      return "";
    };
    const failed = await exporting().catch(said);
    assert.ok(exported === ids.length || failed.startsWith("The ledger is damaged"), `${exported}, ${failed}`);
    await runOnce(second.ledger);
    assert.equal(second.ledger.state().unavailable, null);
    assert.deepEqual(
      query(directory, "SELECT count(*) AS runs FROM calls WHERE run <= 60"),
      before,
      "a start deletes nothing",
    );
  });

function said(error: Error): string {
  return error.message;
}

test("runs that vanish are noticed, by their numbers and what is left of them", async (t) => {
  const tested = await startLedger(t);
  const { directory } = tested;
  const ids = await putRuns(tested, 30);
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  // First a regular deletion, then a direct change of the tables, which leaves the counts as they were.
  await reader.prune(Date.now() - 10 * DAY + 4.5 * HOUR);
  const before = await reader.verify();
  assert.deepEqual([before.ok, before.missing, before.structure], [ids.length - 5, 0, []]);
  alter(
    directory,
    "DROP TRIGGER run_deleted; DELETE FROM runs WHERE id IN (10, 30); DELETE FROM calls WHERE run = 30; DELETE FROM attempts WHERE run = 30",
  );
  const after = await reader.verify();
  assert.deepEqual([after.ok, after.damaged, after.missing], [ids.length - 7, 0, 2]);
  assert.ok(after.findings.some(({ number }) => number === 10));
  assert.match(after.structure.join("\n"), /runs that are gone and have left nothing: 1, of the runs 0 to 511/);
});
