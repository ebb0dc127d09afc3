import type { Kysely } from "kysely";

/** What may be charged in a day or month, and how much of it each process holds, in requests or millionths. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("budgets")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organization_id", "text", (column) => column.notNull())
    .addColumn("workflow_id", "text")
    .addColumn("source", "text")
    .addColumn("credential_id", "text")
    .addColumn("per", "text", (column) => column.notNull())
    .addColumn("currency", "text")
    .addColumn("amount", "bigint", (column) => column.notNull())
    .addColumn("warn_percent", "integer", (column) => column.notNull())
    .addColumn("set_wall_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("budgets_of_organization").on("budgets").column("organization_id").execute();
  await db.schema
    .createTable("budget_leases")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("budget_id", "text", (column) => column.notNull())
    .addColumn("period_from", "bigint", (column) => column.notNull())
    .addColumn("period_to", "bigint", (column) => column.notNull())
    .addColumn("lease", "text", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("amount", "bigint", (column) => column.notNull())
    .addColumn("used", "bigint", (column) => column.notNull())
    .addColumn("turn", "bigint", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("budget_leases_of_period")
    .on("budget_leases")
    .columns(["budget_id", "period_from"])
    .execute();
}
