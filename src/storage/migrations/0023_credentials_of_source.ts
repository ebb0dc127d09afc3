import { type Kysely, sql } from "kysely";

/** Answers who has a credential for a source from an index, however many credentials there are for others. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("credentials_of_source")
    .on("credentials")
    .columns(["source", "id"])
    .where(sql.ref("deleted_wall_at"), "is", sql.lit(null))
    .execute();
}
