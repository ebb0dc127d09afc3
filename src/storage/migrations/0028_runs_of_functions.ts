import { type Kysely, sql } from "kysely";
import { nameKey } from "../name-key.ts";

const ROWS_AT_ONCE = 1_000;

/** Lists the runs of a function, and finds tokens by their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await runsOfFunctions(db);
  await tokensByName(db);
}

/** Runs that ask for sources are not in the index. Its last columns answer what else a list is narrowed by. */
async function runsOfFunctions(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createIndex("ledger_runs_of_function")
    .on("ledger_runs")
    .columns([
      "function_id",
      "has_unknown",
      "started_at",
      "transaction_id",
      "verdicts",
      "organization_id",
      "workflow_id",
    ])
    .where(sql.ref("function_id"), "is not", sql.lit(null))
    .execute();
  await sql`drop view ledger_lines`.execute(db);
  await sql`
    create view ledger_lines as
    select r.started_at, c.transaction_id, r.has_unknown, r.organization_id, r.workflow_id, c.source, c.success, c.match,
      c.charges, r.transaction_id as run_transaction_id, r.function_id
    from ledger_calls as c join ledger_runs as r on r.transaction_id = c.transaction_id
  `.execute(db);
}

/** Those that are not revoked: each run that an operator makes leaves one that is. */
async function tokensByName(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable("tokens").addColumn("name_key", "text").execute();
  let last = "";
  for (;;) {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from tokens where revoked_wall_at is null and id > ${last} order by id limit ${ROWS_AT_ONCE}`.execute(
      db,
    );
    for (const { id, name } of rows)
      await sql`update tokens set name_key = ${nameKey(name)} where id = ${id}`.execute(db);
    if (rows.length < ROWS_AT_ONCE) break;
    last = rows.at(-1)!.id;
  }
  const inUse = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on("tokens")
      .columns([...columns])
      .where(sql.ref("revoked_wall_at"), "is", sql.lit(null));
  await inUse("tokens_in_use_by_name", ["name_key", "id"]).execute();
  await inUse("tokens_in_use_by_age", ["id"]).execute();
}
