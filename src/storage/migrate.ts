import type { Kysely, Transaction } from "kysely";
import { type EngineName, type Opening, StoreOlder, StoreRefused } from "./engine.ts";
import { sql } from "./kysely.ts";
import type { Migration } from "./migrations/index.ts";
import type { Tables } from "./schema.ts";

export interface MigrationSteps {
  readonly engine: EngineName;
  readonly migrations: readonly Migration[];
  /**
   * Taken first in the transaction: if several processes open a new store, one migrates, and the others find it done.
   */
  lock(transaction: Transaction<Tables>): Promise<void>;
  /** Refuses a database that other software uses. Called if there is no store yet. @throws StoreRefused */
  assertFree(transaction: Transaction<Tables>): Promise<void>;
}

/**
 * Upgrades a store to the newest schema, all steps in one transaction.
 * @throws StoreRefused when a newer version has migrated this store
 */
export async function migrate(db: Kysely<Tables>, wallAt: number, steps: MigrationSteps): Promise<void> {
  const { engine, migrations, lock, assertFree } = steps;
  await db.transaction().execute(async (transaction) => {
    await lock(transaction);
    await transaction.schema
      .createTable("datarun_migrations")
      .ifNotExists()
      .addColumn("version", "integer", (column) => column.primaryKey().notNull())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("applied_wall_at", "bigint", (column) => column.notNull())
      .execute();
    const done = await versionOf(transaction);
    assertNotNewer(done, migrations);
    if (done === 0) await assertFree(transaction);
    for (const [at, step] of migrations.entries()) {
      if (at < done) continue;
      await step.up(transaction as unknown as Kysely<unknown>, engine);
      await transaction
        .insertInto("datarun_migrations")
        .values({ version: at + 1, name: step.name, applied_wall_at: wallAt })
        .execute();
    }
  });
}

/**
 * Whether there is a store, and whether it has to be migrated. Takes no lock, so that every start can call it.
 * @throws StoreRefused when it was made by a newer version, or is an older one that this opening must not upgrade
 */
export async function stateOf(
  db: Kysely<Tables>,
  migrations: readonly Migration[],
  opening: Opening,
): Promise<"none" | "older" | "ready"> {
  const done = await versionOf(db).catch((error: unknown) => {
    if (isMissingTable(error)) return 0;
    throw error;
  });
  assertNotNewer(done, migrations);
  if (done === 0) return "none";
  if (done === migrations.length) return "ready";
  if (opening === "upgrade") return "older";
  throw new StoreOlder(
    `This store has schema ${done}, and this version of datarun works on schema ${migrations.length}. The start of a service of this version brings it there.`,
  );
}

/** Each engine reports this in its own way. */
function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (error as { readonly code?: unknown }).code === "42P01" || error.message.startsWith("no such table");
}

async function versionOf(db: Kysely<Tables>): Promise<number> {
  const { rows } = await sql<{
    version: number | null;
  }>`select max(version) as version from datarun_migrations`.execute(db);
  return rows[0]?.version ?? 0;
}

function assertNotNewer(done: number, migrations: readonly Migration[]): void {
  if (done <= migrations.length) return;
  throw new StoreRefused(
    `This store was migrated to schema ${done} by a newer version of datarun; this one knows schema ${migrations.length}. Run that version or newer.`,
  );
}
