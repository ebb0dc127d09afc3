import type { Kysely } from "kysely";

/** How far each journal has been drained here. A database that knows of less than the journal has lost runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_outboxes")
    .addColumn("journal", "text", (column) => column.primaryKey().notNull())
    .addColumn("run", "bigint", (column) => column.notNull())
    .execute();
}
