import { type Kysely, sql } from "kysely";
import { nameKey } from "../name-key.ts";

const ROWS_AT_ONCE = 1_000;

/** Finds organizations, workflows and operators by the beginning of their names. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["organizations", "workflows", "operators"]) {
    await db.schema.alterTable(table).addColumn("name_key", "text").execute();
    await fill(db, table);
    await db.schema.createIndex(`${table}_by_name`).on(table).columns(["name_key", "id"]).execute();
  }
}

async function fill(db: Kysely<unknown>, table: string): Promise<void> {
  let last = "";
  for (;;) {
    const { rows } = await sql<{ id: string; name: string }>`
      select id, name from ${sql.table(table)} where id > ${last} order by id limit ${ROWS_AT_ONCE}`.execute(db);
    for (const { id, name } of rows)
      await sql`update ${sql.table(table)} set name_key = ${nameKey(name)} where id = ${id}`.execute(db);
    if (rows.length < ROWS_AT_ONCE) return;
    last = rows.at(-1)!.id;
  }
}
