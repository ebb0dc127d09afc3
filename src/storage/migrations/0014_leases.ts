import type { Kysely } from "kysely";

/**
 * How much of each limit each process holds, per window. A row counts until `ends_at` and is remembered until
 * `forget_at`.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("leases")
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("window_start", "bigint", (column) => column.notNull())
    .addColumn("lease", "text", (column) => column.notNull())
    .addColumn("process", "text", (column) => column.notNull())
    .addColumn("amount", "bigint", (column) => column.notNull())
    .addColumn("wants", "bigint", (column) => column.notNull())
    .addColumn("grew_at", "bigint", (column) => column.notNull())
    .addColumn("turn", "bigint", (column) => column.notNull())
    .addColumn("ends_at", "bigint", (column) => column.notNull())
    .addColumn("forget_at", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("leases_key", ["name", "window_start", "lease"])
    .execute();
  await db.schema.createIndex("leases_by_end").on("leases").column("forget_at").execute();
}
