import type { Kysely } from "kysely";

/** What a run was when its journal wrote it, or when a charge of it was last settled. Runs from before have none. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("ledger_runs").addColumn("checksum", "integer").execute();
}
