import { type Kysely, sql } from "kysely";

/** The keys under which a state file describes objects, and how it described them last. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS.split(";")) await sql.raw(statement).execute(db);
}

const STATEMENTS = `
create table state_keys (
  id text primary key not null,
  kind text not null,
  parent_id text,
  state_key text not null,
  object_id text not null,
  applied text not null
);
create unique index state_keys_by_object on state_keys (object_id)`;
