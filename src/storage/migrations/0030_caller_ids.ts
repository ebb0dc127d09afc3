import { type Kysely, sql } from "kysely";

/** Finds runs by the ids that their callers know them by. Runs without such an id are not in the indexes. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ["client_request_id", "trace_id"]) {
    await db.schema.alterTable("ledger_runs").addColumn(column, "text").execute();
    await db.schema
      .createIndex(`ledger_runs_by_${column}`)
      .on("ledger_runs")
      .columns([column, "has_unknown", "started_at", "transaction_id"])
      .where(sql.ref(column), "is not", sql.lit(null))
      .execute();
  }
}
