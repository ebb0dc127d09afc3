import type { Kysely } from "kysely";

/** What calls with a credential cost, in millionths of the currency's unit, and how many were billed in a month. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("credential_prices")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("credential_id", "text", (column) => column.notNull())
    .addColumn("organization_id", "text", (column) => column.notNull())
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("from_wall_at", "bigint", (column) => column.notNull())
    .addColumn("above", "bigint", (column) => column.notNull())
    .addColumn("amount", "bigint", (column) => column.notNull())
    .addColumn("currency", "text", (column) => column.notNull())
    .addColumn("per", "text")
    .addColumn("time_zone", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createTable("credential_calls")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("credential_id", "text", (column) => column.notNull())
    .addColumn("month_from", "bigint", (column) => column.notNull())
    .addColumn("calls", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("credential_prices_of_source")
    .on("credential_prices")
    .columns(["organization_id", "source"])
    .execute();
}
