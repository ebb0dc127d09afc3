import { type Kysely, sql, type Transaction } from "kysely";
import { type EngineName, type Opening, StoreOlder, StoreRefused } from "./engine.ts";
import type { Migration } from "./migrations/index.ts";
import type { Tables } from "./tables.ts";

export interface MigrationSteps {
  readonly engine: EngineName;
  readonly migrations: readonly Migration[];
  /**
   * Taken first in the transaction. If several processes open a new store, one migrates, and the others find the store
   * migrated.
   */
  lock(transaction: Transaction<Tables>): Promise<void>;
  /** Refuses a database that other software uses. Called only if there is no store yet. @throws StoreRefused */
  assertFree(transaction: Transaction<Tables>): Promise<void>;
}

/**
 * Upgrades a store to the newest schema, all steps in one transaction.
 * @throws StoreRefused when a newer version has migrated this store
 */
export async function migrateStore(db: Kysely<Tables>, wallAt: number, steps: MigrationSteps): Promise<void> {
  const { engine, migrations, lock, assertFree } = steps;
  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    await transaction.schema
      .createTable("datarun_migrations")
      .ifNotExists()
      .addColumn("version", "integer", (column) => column.primaryKey().notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("applied_wall_at", "bigint", (column) => column.notNull())
      .addColumn("readable_from", "integer")
      .execute();
    const applied = await appliedIn(transaction);
    if (stateFrom(applied, migrations) === "ready") return;
    if (applied.length === 0) await assertFree(transaction);
    for (const [at, step] of migrations.entries()) {
      if (at < applied.length) continue;
      await step.up(transaction as unknown as Kysely<unknown>, engine);
      await transaction
        .insertInto("datarun_migrations")
        .values({
          version: at + 1,
          name: step.name,
          applied_wall_at: wallAt,
          readable_from: step.readableFrom ?? at + 1,
        })
        .execute();
    }
  });
}

/**
 * Whether the store exists, and whether it needs a migration. Takes no lock, so that every start can call it.
 * @throws StoreRefused when a newer version has made the store and this one cannot work on its schema, or when the
 * store is older and this opening must not upgrade it
 */
export async function stateOf(
  db: Kysely<Tables>,
  migrations: readonly Migration[],
  opening: Opening,
): Promise<"none" | "older" | "ready"> {
  const applied = await appliedIn(db).catch((error: unknown) => {
    if (isMissingTable(error)) return [];
    throw error;
  });
  const state = stateFrom(applied, migrations);
  if (state !== "older" || opening === "upgrade") return state;
  throw new StoreOlder(
    `This store has schema ${applied.length}, and this version of datarun works on schema ${migrations.length}. The start of a service of this version brings it there.`,
  );
}

/** Each engine reports a missing table in its own way. */
function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { readonly code?: unknown }).code === "42P01" || error.message.startsWith("no such table");
}

interface Applied {
  readonly version: number;
  /** The oldest schema whose code can work on a store with this step. */
  readonly readable_from: number;
}

/** The applied steps of a store, in order. Their numbers have no gap. */
async function appliedIn(db: Kysely<Tables>): Promise<readonly Applied[]> {
  return (await sql<Applied>`select * from datarun_migrations order by version`.execute(db)).rows;
}

/** @throws StoreRefused */
function stateFrom(applied: readonly Applied[], migrations: readonly Migration[]): "none" | "older" | "ready" {
  if (applied.length === 0) return "none";
  if (applied.length < migrations.length) return "older";
  const readableFrom = Math.max(...applied.map((row) => row.readable_from));
  if (readableFrom <= migrations.length) return "ready";
  throw new StoreRefused(
    `This store was migrated to schema ${applied.length} by a newer version of datarun, on which versions with schema ${readableFrom} or newer can work; this one has schema ${migrations.length}. Run a newer version.`,
  );
}
