import { type Kysely, sql } from "kysely";

/** What readers of the ledger ask for first: unknown charges, of requests and of calls without requests. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["ledger_calls", "ledger_attempts"]) {
    await db.schema
      .createIndex(`${table}_unknown`)
      .on(table)
      .column("transaction_id")
      .where(sql.ref("charged"), "=", sql.lit("unknown"))
      .execute();
  }
  await sql`
    create view ledger_unsettled as
    select transaction_id, ordinal, number from ledger_attempts where charged = 'unknown'
    union all
    select c.transaction_id, c.ordinal, 0 from ledger_calls as c where c.charged = 'unknown' and not exists (
      select 1 from ledger_attempts as a where a.transaction_id = c.transaction_id and a.ordinal = c.ordinal)
  `.execute(db);
}
