import { type Kysely, sql } from "kysely";

/** Counts of sampled replies by hour and by day. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS.split(";")) await sql.raw(statement).execute(db);
}

const STATEMENTS = `
create table reply_shapes (
  id text primary key not null,
  source text not null,
  version text not null,
  span text not null,
  at bigint not null,
  writer text not null,
  samples bigint not null,
  counts text not null
);
create index reply_shapes_of_source on reply_shapes (source, span, at);
create index reply_shapes_by_time on reply_shapes (span, at)`;
