import type { Kysely } from "kysely";

/** An organization can be disabled as a whole, and enabled again. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("organizations")
    .addColumn("disabled", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
}
