import type { Kysely } from "kysely";

/** Who may use the admin API, by the digests of their tokens, and their sessions in browsers. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("operators")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("role", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .addColumn("expires_wall_at", "bigint")
    .addColumn("revoked_wall_at", "bigint")
    .addColumn("last_used_wall_at", "bigint")
    .execute();

  await db.schema
    .createTable("operator_sessions")
    .addColumn("digest", "text", (column) => column.primaryKey().notNull())
    .addColumn("operator_id", "text", (column) => column.notNull().references("operators.id"))
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .addColumn("seen_wall_at", "bigint", (column) => column.notNull())
    .addColumn("ends_wall_at", "bigint", (column) => column.notNull())
    .execute();
}
