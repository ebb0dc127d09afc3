import type { DatabaseSync } from "node:sqlite";
import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { MIGRATIONS, type JournalMigration } from "./migrations.ts";

/** Later columns need no migration. Each is added where it is missing, by its declaration in the table of columns. */
export const LATER_COLUMNS: readonly LaterColumn[] = [
  ...laterColumns("runs", RUN_COLUMNS),
  ...laterColumns("calls", CALL_COLUMNS),
  ...laterColumns("attempts", ATTEMPT_COLUMNS),
  ...laterColumns("reconciliations", RECONCILIATION_COLUMNS),
];

interface LaterColumn {
  readonly table: string;
  readonly name: string;
  readonly type: "INTEGER" | "TEXT";
}

export function laterColumns(table: string, columns: Columns): readonly LaterColumn[] {
  return listOf(columns).flatMap(({ name, column: { later, inJournal = name, valueType } }) =>
    later === true
      ? [{ table, name: inJournal, type: valueType.isName || valueType.type === "whole" ? "INTEGER" : "TEXT" }]
      : [],
  );
}

/**
 * The stored version is the number of added columns, multiplied by this, plus the number of the last migration. So the
 * two cannot be confused.
 */
const COLUMN = 2 ** 16;

export interface JournalSchema {
  readonly migrations: readonly JournalMigration[];
  readonly laterColumns: readonly LaterColumn[];
}

const SCHEMA: JournalSchema = { migrations: MIGRATIONS, laterColumns: LATER_COLUMNS };
export const SCHEMA_VERSION = versionFor(SCHEMA);

export function versionFor({ migrations, laterColumns: columns }: JournalSchema): number {
  return migrations.length + columns.length * COLUMN;
}

/**
 * Migrates a journal to the newest schema, in one transaction that locks out every other writer. Leaves a journal of a
 * newer version as it is.
 * @throws when the journal was written by a newer version, and this one cannot work on its schema
 */
export function migrateJournal(database: DatabaseSync, schema: JournalSchema = SCHEMA): void {
  if (isUsable(database, schema)) return;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (isNewer(version, schema) && !isUsable(database, schema))
      throw new Error(
        "the journal was written by a newer version of this service, which this version cannot work with",
      );
    if (!isUsable(database, schema)) bringTo(database, schema, version);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function bringTo(database: DatabaseSync, schema: JournalSchema, from: number): void {
  for (const { sql } of schema.migrations.slice(from % COLUMN)) database.exec(sql);
  addColumns(database, schema.laterColumns);
  const readableFrom = Math.max(...schema.migrations.map((migration, at) => migration.readableFrom ?? at + 1));
  database.prepare("INSERT OR REPLACE INTO readable_from (only, migration) VALUES (1, ?)").run(readableFrom);
  database.exec(`PRAGMA user_version = ${versionFor(schema)}`);
}

/** Whether this version can work on the journal: its schema is the same, or a newer one that permits this version. */
export function isUsable(database: DatabaseSync, schema: JournalSchema = SCHEMA): boolean {
  const version = versionOf(database);
  if (!isNewer(version, schema)) return version === versionFor(schema);
  if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'readable_from'").get() === undefined) return false;
  const row = database.prepare("SELECT migration FROM readable_from").get() as
    | { readonly migration: number }
    | undefined;
  return row !== undefined && row.migration <= schema.migrations.length;
}

function isNewer(version: number, { migrations, laterColumns: columns }: JournalSchema): boolean {
  return version % COLUMN > migrations.length || Math.floor(version / COLUMN) > columns.length;
}

/** Adds missing columns, also after a migration has rebuilt their table. */
export function addColumns(database: DatabaseSync, columns: readonly LaterColumn[]): void {
  const isThere = database.prepare("SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  for (const { table, name, type } of columns) {
    if (isThere.get(table, name) === undefined) database.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`);
  }
}

export function versionOf(database: DatabaseSync): number {
  const row = database.prepare("PRAGMA user_version").get() as { user_version: number };
  return row.user_version;
}
