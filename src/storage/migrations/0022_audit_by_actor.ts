import type { Kysely } from "kysely";

/** Answers from an index what one operator did, and who did one thing. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.createIndex("audit_of_actor").on("audit").columns(["who", "id"]).execute();
  await db.schema.createIndex("audit_of_act").on("audit").columns(["what", "id"]).execute();
}
