import { type Kysely, sql } from "kysely";

/**
 * How many runs each journal has added, per group of ids that begin alike, and how many of them were deleted (a row
 * with no journal), so that a run is missed even if all its calls are lost too. One row per journal, so none waits for
 * another.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_run_counts")
    .addColumn("span", "text", (column) => column.notNull())
    .addColumn("journal", "text", (column) => column.notNull())
    .addColumn("runs", "bigint", (column) => column.notNull())
    .addPrimaryKeyConstraint("ledger_run_counts_key", ["span", "journal"])
    .execute();
  await sql`
    insert into ledger_run_counts (span, journal, runs)
    select substr(transaction_id, 1, 10), '', count(*) from ledger_runs group by substr(transaction_id, 1, 10)
  `.execute(db);
}
