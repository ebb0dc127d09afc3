import type { Kysely } from "kysely";

/** Codes by which somebody logs in as an operator, once. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("login_codes")
    .addColumn("digest", "text", (column) => column.primaryKey().notNull())
    .addColumn("operator_id", "text", (column) => column.notNull().references("operators.id"))
    .addColumn("ends_wall_at", "bigint", (column) => column.notNull())
    .execute();
}
