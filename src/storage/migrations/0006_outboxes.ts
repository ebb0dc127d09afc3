import type { Kysely } from "kysely";

/** How far each journal has been carried here. A database that knows less of one than the journal does has lost something. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_outboxes")
    .addColumn("journal", "text", (column) => column.primaryKey().notNull())
    .addColumn("run", "bigint", (column) => column.notNull())
    .execute();
}
