import { type Kysely, sql } from "kysely";

/** Versions of functions and sources, what workflows name of them, and results of shadow runs. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS.split(";")) await sql.raw(statement).execute(db);
}

const STATEMENTS = `
create table versions (
  id text primary key not null,
  kind text not null,
  subject_id text not null,
  number bigint not null,
  digest text not null,
  origin text not null,
  first_wall_at bigint not null,
  build text,
  deployed_by text,
  content text not null,
  source text not null
);
create unique index versions_by_number on versions (kind, subject_id, number);
create unique index versions_by_digest on versions (digest, kind, subject_id);

create table shadow_results (
  id text primary key not null,
  workflow_id text not null references workflows (id),
  function_id text not null,
  version text not null,
  field text not null,
  same bigint not null,
  different bigint not null,
  missing bigint not null,
  added bigint not null,
  failed bigint not null,
  unrecorded bigint not null,
  transaction_ids text not null,
  changed_wall_at bigint not null
);
create index shadow_results_of_workflow on shadow_results (workflow_id, function_id, version);

alter table workflows add column versions text;
alter table ledger_runs add column build text;
alter table ledger_runs add column function_version text;
alter table ledger_calls add column source_version text`;
