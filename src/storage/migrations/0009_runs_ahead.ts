import type { Kysely } from "kysely";

/** Runs that a wrong clock has dated in the future, and when that was first seen: their age counts from then. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_ahead")
    .addColumn("transaction_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("seen_at", "bigint", (column) => column.notNull())
    .execute();
}
