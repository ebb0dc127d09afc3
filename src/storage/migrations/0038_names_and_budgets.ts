import { type Kysely, sql } from "kysely";

/**
 * Names of credentials, with their search keys. Only credentials with a name are searched, so only they are in the
 * indexes. And the time from which a budget counts, if that is before it was set.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS.split(";")) await sql.raw(statement).execute(db);
}

const STATEMENTS = `
alter table credentials add column name text;
alter table credentials add column name_key text;
create index credentials_by_name on credentials (name_key, id) where name_key is not null;
create index credentials_named on credentials (id) where name_key is not null;
alter table budgets add column counts_from bigint`;
