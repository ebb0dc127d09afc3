import type { Kysely } from "kysely";

/** What each request cost when it was sent, and after each decision on it. Older requests have no price. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["ledger_attempts", "ledger_reconciliations"]) {
    await db.schema.alterTable(table).addColumn("price", "bigint").execute();
    await db.schema.alterTable(table).addColumn("currency", "text").execute();
  }
}
