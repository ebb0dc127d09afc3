import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { JOURNAL_FILE } from "./journal-database.ts";
import { made, nameOrNull, textOrNull, wholeOrNull } from "../column.ts";
import { CALL_COLUMNS } from "../columns.ts";
import { openJournalReader } from "../read/journal-reader.ts";
import { atEnd, makeDirectory, makeIntent, makeRun, query, runOnce, startLedger } from "../ledger.kit.ts";
import { intentFileName } from "./intent-files.ts";
import { oneRun } from "../totals/sums-of-rows.kit.ts";
import { addColumns, LATER_COLUMNS, laterColumns, migrate, SCHEMA_VERSION, versionOf } from "./migrate.ts";
import { type JournalMigration, MIGRATIONS } from "./migrations.ts";
import { attemptIntentText, runIntentText } from "./record-lines.ts";

/** As a version with only the first migrations left it. */
function migrateFirst(database: DatabaseSync, count: number): void {
  for (const { sql } of MIGRATIONS.slice(0, count)) database.exec(sql);
  database.exec(`PRAGMA user_version = ${count}`);
}

test("a journal with texts in every row is migrated to numbers, and its content is the same", async (t) => {
  const directory = makeDirectory(t);
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  database.exec("PRAGMA journal_mode = WAL");
  migrateFirst(database, 2);
  database.exec(`
    INSERT INTO runs VALUES
      (1, 'trx_1', 'ended', 'data', 'org_1', 'wfl_1', 'tok_1', 'prod', 'eu', 0, NULL, 1000, 40, 0, NULL, 1),
      (2, 'trx_2', 'unknown', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 0);
    INSERT INTO calls VALUES
      (1, 0, 'acme__people', 1, 1, NULL, NULL, 'yes', 'cred_1', 'auto', 1, 30, 2000),
      (1, 1, 'bell__phone', 0, 0, 'source.timeout', 'timeout', 'unknown', NULL, 'none', 1, 30, 0);
    INSERT INTO attempts VALUES (1, 1, 1, 'https://bell.example', 'GET', 1003, NULL, 30, 'unknown');`);
  database.close();
  const { events } = await startLedger(t, { directory });
  assert.deepEqual(
    events.filter((event) => event === "ledger_migrating"),
    ["ledger_migrating"],
  );
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());

  const { runs } = await reader.list({});
  assert.deepEqual(
    runs.map((run) => [run.transaction_id, run.kind, run.organization_id, run.calls, run.has_unknown]),
    [
      ["trx_1", "data", "org_1", 2, 1],
      ["trx_2", "", "", 0, 0],
    ],
  );
  const row = await reader.show("trx_1");
  assert.deepEqual(
    row?.calls.map((call) => [call.source, call.fault_code, call.charged, call.credential_id, call.credential_rule]),
    [
      ["acme__people", null, "yes", "cred_1", "auto"],
      ["bell__phone", "source.timeout", "unknown", null, "none"],
    ],
  );
  assert.deepEqual(
    row.attempts.map(({ origin, status, charged }) => [origin, status, charged]),
    [["https://bell.example", null, "unknown"]],
  );
  for (const filter of [{ outcome: "match" }, { outcome: "failed" }, { charged: "unknown" }] as const)
    assert.equal((await reader.list(filter)).runs.length, 1, JSON.stringify(filter));
  assert.equal((await reader.list({ source: "bell__phone", charged: "yes" })).runs.length, 0);
  const verified = await reader.verify();
  assert.deepEqual([verified.ok, verified.unchecked, verified.damaged, verified.missing], [0, 2, 0, 0]);
});

test("a journal from before the log of outcomes is continued, with the intents that its service left", async (t) => {
  const directory = makeDirectory(t);
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  database.exec("PRAGMA journal_mode = WAL");
  migrateFirst(database, 5);
  database.exec(`
    INSERT INTO names VALUES (100, 'ended');
    INSERT INTO runs (id, transaction_id, state, kind, organization, workflow, token, context, region, simulated,
      started_at, client_gone, has_unknown, verdicts, unknown_sources)
    VALUES (7, 'trx_before', 100, 100, 100, 100, 100, 100, 100, 0, 1000, 0, 0, 0, 0)`);
  database.close();
  const died = makeRun();
  const intents = runIntentText(died) + attemptIntentText(died.transactionId, makeIntent());
  writeFileSync(join(directory, intentFileName(3)), intents);

  const { ledger } = await startLedger(t, { directory });
  const run = makeRun();
  await runOnce(ledger, run);

  assert.deepEqual(
    query(directory, "SELECT run, transaction_id, state FROM ledger_runs ORDER BY run").map((row) =>
      Object.values(row),
    ),
    [
      [7, "trx_before", "ended"],
      [8, died.transactionId, "unknown"],
      [9, run.transactionId, "ended"],
    ],
  );
});

test("a journal from before totals has right sums, and totals from then on", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const day = Date.UTC(2026, 2, 9);
  const span = { from: day, to: day + 24 * 60 * 60 * 1_000 };
  await runOnce(ledger, ...oneRun(day + 1));
  await ledger.close();
  const database = new DatabaseSync(join(directory, JOURNAL_FILE));
  database.exec(`DROP TRIGGER total_run_added; DROP TRIGGER total_run_deleted; DROP TRIGGER total_charge_changed;
    DROP TABLE ledger_totals; DROP TABLE ledger_total_spans; DROP INDEX runs_of_function; DROP TABLE unread_intents;
    DROP INDEX runs_by_client_request_id; ALTER TABLE runs DROP COLUMN client_request_id;
    DROP INDEX runs_by_trace_id; ALTER TABLE runs DROP COLUMN trace_id;
    DROP INDEX calls_of_budget; ALTER TABLE calls DROP COLUMN budget;
    DROP TABLE readable_from; PRAGMA user_version = ${SCHEMA_VERSION - 6}`);
  database.close();

  const { ledger: migrated } = await startLedger(t, { directory });
  const reader = openJournalReader({ dir: directory });
  atEnd(t, () => reader.close());
  const requests = async () => (await reader.spend("org", span)).map((line) => line.requests);
  assert.deepEqual(await requests(), [1]);
  const kept = () => query(directory, "SELECT kept FROM ledger_total_spans").map((row) => row["kept"]);
  assert.deepEqual(kept(), [1]);
  await runOnce(migrated, ...oneRun(day + 2));
  await migrated.flush();
  assert.deepEqual(kept(), []);
  assert.deepEqual(await requests(), [2]);
});

test("a later column is added where it is missing, and only once", (t) => {
  const database = new DatabaseSync(":memory:");
  t.after(() => database.close());
  migrate(database);
  const later = { later: true } as const;
  const columns = laterColumns("calls", {
    ...CALL_COLUMNS,
    cache_age_ms: made(wholeOrNull, later),
    vendor_region: made(nameOrNull(), { ...later, inJournal: "region" }),
    vendor_reference: made(textOrNull(), later),
  });
  for (let start = 0; start < 2; start += 1) addColumns(database, columns);
  const found = database.prepare("SELECT name, type, \"notnull\" AS required FROM pragma_table_info('calls')").all();
  assert.deepEqual(
    found.slice(-3).map((row) => Object.values(row)),
    [
      ["cache_age_ms", "INTEGER", 0],
      ["region", "INTEGER", 0],
      ["vendor_reference", "TEXT", 0],
    ],
  );
});

test("a journal of a newer version is refused and not changed", () => {
  for (const version of [SCHEMA_VERSION + 1, SCHEMA_VERSION + 2 ** 16]) {
    const database = new DatabaseSync(":memory:");
    database.exec(`PRAGMA user_version = ${version}`);
    assert.throws(() => migrate(database), /newer version/);
    assert.equal(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.["tables"], 0);
    database.close();
  }
});

test("a journal of a newer version is used if that version says so, and the runs of both are in it", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const [intent, outcome] = oneRun(Date.now());
  await runOnce(ledger, intent, outcome);
  await ledger.close();
  const added = laterColumns("runs", { added: made(textOrNull(), { later: true }) });
  const write = (migrations: readonly JournalMigration[]) => {
    const database = new DatabaseSync(join(directory, JOURNAL_FILE));
    try {
      migrate(database, () => {}, { migrations, laterColumns: [...LATER_COLUMNS, ...added] });
      return versionOf(database);
    } finally {
      database.close();
    }
  };
  const expanded = [
    ...MIGRATIONS,
    { sql: "CREATE INDEX runs_took_ms ON runs (took_ms)", readableFrom: MIGRATIONS.length },
  ];
  const version = write(expanded);

  const again = await startLedger(t, { directory });
  await runOnce(again.ledger, ...oneRun(Date.now()));
  await again.ledger.close();
  assert.equal(query(directory, "SELECT id FROM runs").length, 2);
  assert.equal(write(expanded), version, "the older version leaves the schema as it is");
  const reader = openJournalReader({ dir: directory });
  assert.equal((await reader.list({})).runs.length, 2);
  reader.close();

  write([...expanded, { sql: "CREATE INDEX runs_client_gone ON runs (client_gone)" }]);
  assert.throws(() => openJournalReader({ dir: directory }), /written by another version/);
  assert.throws(() => write(MIGRATIONS), /newer version/);
});
