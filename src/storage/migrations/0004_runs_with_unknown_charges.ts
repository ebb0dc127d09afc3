import { type Kysely, sql } from "kysely";

/** Marks runs that have unknown charges, so that lists and deletion need not search all charges for them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("ledger_runs")
    .addColumn("has_unknown", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await sql`
    update ledger_runs set has_unknown = 1 where transaction_id in (select transaction_id from ledger_unsettled)
  `.execute(db);
  await db.schema
    .createIndex("ledger_runs_unknown")
    .on("ledger_runs")
    .columns(["started_at", "transaction_id"])
    .where(sql.ref("has_unknown"), "=", sql.lit(1))
    .execute();
}
