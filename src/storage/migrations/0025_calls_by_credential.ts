import { type Kysely, sql } from "kysely";

/** The newest call with a credential is found by an index. Ids of runs sort by start time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("ledger_calls_of_credential")
    .on("ledger_calls")
    .columns(["credential_id", "transaction_id"])
    .where(sql.ref("credential_id"), "is not", sql.lit(null))
    .execute();
}
