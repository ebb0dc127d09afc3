import { type Kysely, sql } from "kysely";

/** The lines have the transaction id of both joined tables, so that a time range can limit both sides of the join. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop view ledger_lines`.execute(db);
  await sql`
    create view ledger_lines as
    select r.started_at, c.transaction_id, r.has_unknown, r.organization_id, r.workflow_id, c.source, c.success, c.match,
      c.charges, r.transaction_id as run_transaction_id
    from ledger_calls as c join ledger_runs as r on r.transaction_id = c.transaction_id
  `.execute(db);
}
