import { type Kysely, sql } from "kysely";

/** The calls that a budget has rejected are found by an index, which has no other calls. Ids of runs sort by start time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("ledger_calls").addColumn("budget_id", "text").execute();
  await db.schema
    .createIndex("ledger_calls_of_budget")
    .on("ledger_calls")
    .columns(["budget_id", "transaction_id"])
    .where(sql.ref("budget_id"), "is not", sql.lit(null))
    .execute();
}
