import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import test from "node:test";
import { JOURNAL_FILE } from "./journal-file.ts";
import { derived, nameOrNull, textOrNull, wholeOrNull } from "../column.ts";
import { CALL_COLUMNS } from "../columns.ts";
import { openJournalReader } from "../read/journal-reader.ts";
import { query, runOnce, startLedger } from "../ledger.kit.ts";
import { oneRun } from "../totals/sums-of-rows.kit.ts";
import {
  addColumns,
  LATER_COLUMNS,
  laterColumns,
  migrateJournal,
  SCHEMA_VERSION,
  versionOf,
} from "./migrate-journal.ts";
import { type JournalMigration, MIGRATIONS } from "./migrations.ts";

test("a later column is added where it is missing, and only once", (t) => {
  const database = new DatabaseSync(":memory:");
  t.after(() => database.close());
  migrateJournal(database);
  const later = { later: true } as const;
  const columns = laterColumns("calls", {
    ...CALL_COLUMNS,
    cache_age_ms: derived(wholeOrNull, later),
    vendor_region: derived(nameOrNull(), { ...later, inJournal: "region" }),
    vendor_reference: derived(textOrNull(), later),
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
    assert.throws(() => migrateJournal(database), /newer version/);
    assert.equal(database.prepare("SELECT count(*) AS tables FROM sqlite_schema").get()?.["tables"], 0);
    database.close();
  }
});

test("a journal of a newer version is used if that version says so, and the runs of both are in it", async (t) => {
  const { ledger, directory } = await startLedger(t);
  const [intent, outcome] = oneRun(Date.now());
  await runOnce(ledger, intent, outcome);
  await ledger.close();
  const added = laterColumns("runs", { added: derived(textOrNull(), { later: true }) });
  const write = (migrations: readonly JournalMigration[]) => {
    const database = new DatabaseSync(join(directory, JOURNAL_FILE));
    try {
      migrateJournal(database, { migrations, laterColumns: [...LATER_COLUMNS, ...added] });
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
