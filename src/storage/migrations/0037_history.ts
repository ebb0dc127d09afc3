import { type Kysely, sql } from "kysely";
import type { EngineName } from "../engine.ts";

const TABLES = `
create table ledger_history_spans (
  id bigint primary key not null,
  from_at bigint not null,
  to_at bigint not null,
  kept integer not null,
  claimed_at bigint not null,
  unique (from_at, to_at)
);
create table ledger_history (
  span bigint not null references ledger_history_spans (id) on delete cascade,
  grouping_number bigint not null,
  line bigint not null,
  organization_key text,
  workflow_key text,
  function_key text,
  function_version_key text,
  source_key text,
  source_version_key text,
  credential_key text,
  token_key text,
  figures text not null,
  primary key (span, grouping_number, line)
)`;

const DAY = 86_400_000;
const LENGTHS = [60_000, 3_600_000, DAY];
/** The lock of `0035_baseline.ts`. */
const TOTALS_LOCK = 0x64_61_74;
const SPANS = ["ledger_total_spans", "ledger_history_spans"];

/**
 * Totals of the outcomes, durations and amounts of runs that started in a span of time. What deletes the totals of
 * `0035_baseline.ts` deletes these too.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const totals = engine === "postgres" ? onPostgres() : onSqlite();
  for (const statement of [...TABLES.split(";"), ...totals]) await sql.raw(statement).execute(db);
}

function onSqlite(): readonly string[] {
  const deleteOf = (startedAt: string): string => {
    const starts = LENGTHS.map((length) => `${startedAt} - ${startedAt} % ${length}`);
    return `delete from ledger_history_spans where from_at in (${starts.join(", ")}) and to_at > ${startedAt}`;
  };
  const ofRun = "(select started_at from ledger_runs where transaction_id = new.transaction_id)";
  return [
    ["ledger_history_run_added after insert on ledger_runs", "new.started_at"],
    ["ledger_history_run_deleted after delete on ledger_runs", "old.started_at"],
    ["ledger_history_charge_changed after update on ledger_attempts", ofRun],
  ].map(([when, startedAt]) => `create trigger ${when} begin ${deleteOf(startedAt!)}; end`);
}

function onPostgres(): readonly string[] {
  const functionOf = (name: string, changed: string): string => {
    const deletes = SPANS.map(
      (spans) => `
      delete from ${spans} where id in (
        select id from ${spans} where (from_at, to_at) in (
          select minute - minute % length, minute - minute % length + length
          from (select distinct started_at - started_at % ${LENGTHS[0]} as minute from ${changed}) as minutes
          cross join unnest(array[${LENGTHS.join(", ")}]::bigint[]) as length)
        order by from_at, to_at for update);`,
    );
    return `
    create or replace function ${name}() returns trigger language plpgsql set search_path from current as $$
    begin
      perform pg_advisory_xact_lock_shared(${TOTALS_LOCK}, day::integer)
        from (select distinct started_at / ${DAY} as day from ${changed} where started_at >= 0) as days;
      -- In order, so that two changes of several spans wait for each other and never each for the other.${deletes.join("")}
      return null;
    end $$`;
  };
  const ofAttempts =
    "(select r.started_at from changed as a join ledger_runs as r on r.transaction_id = a.transaction_id) as runs";
  return [functionOf("ledger_forget_totals", "changed"), functionOf("ledger_forget_totals_of_attempts", ofAttempts)];
}
