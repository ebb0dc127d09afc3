import { type Kysely, sql, type Transaction } from "kysely";
import { StoreRefused } from "./engine.ts";
import type { Migration } from "./migrations/index.ts";
import type { Tables } from "./schema.ts";

/**
 * Brings a store to the newest schema, all steps in one transaction. `lock` is taken first in it, so that of several
 * processes on a new store one migrates and the others find it done.
 * @throws StoreRefused when a newer version has migrated this store
 */
export async function migrate(
  db: Kysely<Tables>,
  migrations: readonly Migration[],
  wallAt: number,
  lock: (transaction: Transaction<Tables>) => Promise<void>,
): Promise<void> {
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
    for (const [at, step] of migrations.entries()) {
      if (at < done) continue;
      await step.up(transaction as unknown as Kysely<unknown>);
      await transaction
        .insertInto("datarun_migrations")
        .values({ version: at + 1, name: step.name, applied_wall_at: wallAt })
        .execute();
    }
  });
}

/** Whether nothing is left to migrate. Takes no lock, so that it can be asked at every start. @throws StoreRefused */
export async function isMigrated(db: Kysely<Tables>, migrations: readonly Migration[]): Promise<boolean> {
  // A new store has no such table yet, which each engine reports in its own words; what else is wrong, migrating meets again.
  const done = await versionOf(db).catch(() => 0);
  assertNotNewer(done, migrations);
  return done === migrations.length;
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
