import type { DatabaseSync } from "node:sqlite";
import { listOf, type Columns } from "../column.ts";
import { ATTEMPT_COLUMNS, CALL_COLUMNS, RECONCILIATION_COLUMNS, RUN_COLUMNS } from "../columns.ts";
import { MIGRATIONS } from "./migrations.ts";

/** A journal that is about to be migrated; the larger it is, the longer that takes. */
export interface OlderJournal {
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
}

/** Later columns need no migration: each is added where it is missing, as its table here declares it. */
const LATER_COLUMNS = [
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
  return listOf(columns).flatMap(({ name, column: { later, inJournal = name, holds } }) =>
    later === true
      ? [{ table, name: inJournal, type: holds.isName || holds.type === "whole" ? "INTEGER" : "TEXT" }]
      : [],
  );
}

/**
 * The version holds the number of the last migration and, multiplied by this, how many columns were added, so that the
 * two cannot be confused.
 */
const COLUMN = 2 ** 16;

export const SCHEMA_VERSION = MIGRATIONS.length + LATER_COLUMNS.length * COLUMN;

/**
 * Brings a journal to the newest schema, in one transaction that shuts out every other writer.
 * @throws when the journal was written by a newer version of the service
 */
export function migrate(
  database: DatabaseSync,
  to = SCHEMA_VERSION,
  onOlder: (older: OlderJournal) => void = () => {},
): void {
  const found = versionOf(database);
  if (found === to) return;
  const size = database
    .prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size")
    .get();
  if (found > 0 && !isNewer(found)) onOlder({ from: found, to, bytes: (size as { bytes: number }).bytes });
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database);
    if (isNewer(version)) throw new Error("the journal was written by a newer version of this service");
    for (const migration of MIGRATIONS.slice(version % COLUMN, to % COLUMN)) database.exec(migration);
    if (to === SCHEMA_VERSION) addColumns(database, LATER_COLUMNS);
    database.exec(`PRAGMA user_version = ${to}`);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function isNewer(version: number): boolean {
  return version % COLUMN > MIGRATIONS.length || Math.floor(version / COLUMN) > LATER_COLUMNS.length;
}

/** Adds the columns that are missing, also if a migration has rebuilt their table. */
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
