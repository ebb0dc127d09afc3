import { type Kysely, sql } from "kysely";
import type { EngineName } from "../engine.ts";

/** Statements for both engines; `tables.ts` describes the columns. Statements end with a semicolon. */
const TABLES = `
create table organizations (
  id text primary key not null,
  name text not null,
  name_key text,
  created_wall_at bigint not null,
  disabled integer not null
);
create index organizations_by_name on organizations (name_key, id);

create table tokens (
  id text primary key not null,
  organization_id text not null references organizations (id),
  name text not null,
  name_key text,
  digest text not null unique,
  created_wall_at bigint not null,
  expires_wall_at bigint,
  revoked_wall_at bigint,
  last_used_wall_at bigint
);
create index tokens_of_organization on tokens (organization_id, id);
-- Each run of an operator leaves a revoked token, so most may be.
create index tokens_in_use on tokens (organization_id, id) where revoked_wall_at is null;
create index tokens_in_use_by_name on tokens (name_key, id) where revoked_wall_at is null;
create index tokens_in_use_by_age on tokens (id) where revoked_wall_at is null;

create table workflows (
  id text primary key not null,
  organization_id text not null references organizations (id),
  name text not null,
  name_key text,
  disabled integer not null,
  auto_credentials integer not null,
  failure_details integer not null,
  mask_credentials integer not null,
  simulated integer not null,
  created_wall_at bigint not null
);
create index workflows_of_organization on workflows (organization_id, id);
create index workflows_by_name on workflows (name_key, id);

create table data_keys (
  id text primary key not null,
  organization_id text not null references organizations (id),
  root_key_id text not null,
  wrapped text not null,
  created_wall_at bigint not null
);
create index data_keys_of_organization on data_keys (organization_id);

create table credentials (
  id text primary key not null,
  organization_id text not null references organizations (id),
  source text not null,
  version bigint not null,
  contexts text not null,
  regions text,
  is_default integer not null,
  disabled integer not null,
  created_wall_at bigint not null,
  deleted_wall_at bigint,
  key_id text not null,
  sealed text not null
);
create index credentials_of_organization_and_source on credentials (organization_id, source);
create index credentials_of_organization on credentials (organization_id, id) where deleted_wall_at is null;
create index credentials_of_source on credentials (source, id) where deleted_wall_at is null;

create table credential_prices (
  id text primary key not null,
  credential_id text not null,
  organization_id text not null,
  source text not null,
  from_wall_at bigint not null,
  above bigint not null,
  amount bigint not null,
  currency text not null,
  per text,
  time_zone text not null
);
create index credential_prices_of_source on credential_prices (organization_id, source);
create index credential_prices_of_credential on credential_prices (credential_id, from_wall_at desc, above);

create table credential_calls (
  id text primary key not null,
  credential_id text not null,
  month_from bigint not null,
  calls bigint not null
);

create table operators (
  id text primary key not null,
  name text not null,
  name_key text,
  role text not null,
  digest text not null unique,
  login text,
  created_wall_at bigint not null,
  expires_wall_at bigint,
  revoked_wall_at bigint,
  last_used_wall_at bigint
);
create index operators_by_name on operators (name_key, id);

create table operator_sessions (
  digest text primary key not null,
  operator_id text not null references operators (id),
  created_wall_at bigint not null,
  seen_wall_at bigint not null,
  ends_wall_at bigint not null
);

create table login_codes (
  digest text primary key not null,
  operator_id text not null references operators (id),
  ends_wall_at bigint not null
);

create table audit (
  id text primary key not null,
  wall_at bigint not null,
  who text not null,
  via text not null,
  what text not null,
  organization_id text,
  subject_id text not null,
  detail text not null
);
create index audit_of_organization on audit (organization_id, id);
create index audit_of_subject on audit (subject_id, id);
create index audit_of_actor on audit (who, id);
create index audit_of_act on audit (what, id);

create table leases (
  name text not null,
  window_start bigint not null,
  lease text not null,
  process text not null,
  amount bigint not null,
  wants bigint not null,
  grew_at bigint not null,
  turn bigint not null,
  ends_at bigint not null,
  forget_at bigint not null,
  primary key (name, window_start, lease)
);
create index leases_by_end on leases (forget_at);

create table budgets (
  id text primary key not null,
  organization_id text not null,
  workflow_id text,
  source text,
  credential_id text,
  per text not null,
  time_zone text,
  currency text,
  amount bigint not null,
  warn_percent integer not null,
  set_wall_at bigint not null,
  changed_wall_at bigint,
  begun_from bigint
);
create index budgets_of_organization on budgets (organization_id, id);

create table budget_leases (
  id text primary key not null,
  budget_id text not null,
  period_from bigint not null,
  period_to bigint not null,
  lease text not null,
  process text not null,
  amount bigint not null,
  used bigint not null,
  turn bigint not null,
  heard_at bigint
);
create index budget_leases_of_period on budget_leases (budget_id, period_from);

create table datarun_changes (id integer primary key not null, changes bigint not null);
insert into datarun_changes (id, changes) values (1, 1)`;

/** The tables to which the journals of all machines drain. Ids of runs sort by start time. */
const LEDGER = `
create table ledger_runs (
  transaction_id text primary key not null,
  state text not null,
  kind text not null,
  organization_id text not null,
  workflow_id text not null,
  token_id text not null,
  context text not null,
  region text not null,
  simulated integer not null,
  function_id text,
  client_request_id text,
  trace_id text,
  started_at bigint not null,
  start_id text,
  took_ms bigint,
  client_gone integer not null,
  function_fault text,
  has_unknown integer not null,
  verdicts integer not null,
  unknown_sources integer not null,
  unknown_source_names text,
  checksum integer
);
-- Lists of runs are answered from these indexes alone.
create index ledger_runs_by_time on ledger_runs (started_at, transaction_id, has_unknown, verdicts);
create index ledger_runs_unknown on ledger_runs (started_at, transaction_id, verdicts) where has_unknown = 1;
create index ledger_runs_of_organization on ledger_runs
  (organization_id, has_unknown, started_at, transaction_id, verdicts);
create index ledger_runs_of_workflow on ledger_runs (workflow_id, has_unknown, started_at, transaction_id, verdicts);
create index ledger_runs_of_function on ledger_runs
  (function_id, has_unknown, started_at, transaction_id, verdicts, organization_id, workflow_id)
  where function_id is not null;
create index ledger_runs_by_client_request_id on ledger_runs
  (client_request_id, has_unknown, started_at, transaction_id) where client_request_id is not null;
create index ledger_runs_by_trace_id on ledger_runs (trace_id, has_unknown, started_at, transaction_id)
  where trace_id is not null;

create table ledger_calls (
  transaction_id text not null,
  ordinal integer not null,
  source text not null,
  success integer,
  match integer,
  fault_code text,
  fault_kind text,
  charged text not null,
  charges integer not null,
  credential_id text,
  credential_rule text not null,
  started_after_ms bigint,
  took_ms bigint,
  output_bytes bigint,
  order_id text,
  budget_id text,
  primary key (transaction_id, ordinal)
);
create index ledger_calls_of_source on ledger_calls (source, success, match, charges);
-- The newest runs first, for calls that are frequent.
create index ledger_calls_of_source_by_time on ledger_calls (source, transaction_id, success, match, charges);
create index ledger_calls_of_credential on ledger_calls (credential_id, transaction_id)
  where credential_id is not null;
create index ledger_calls_of_budget on ledger_calls (budget_id, transaction_id) where budget_id is not null;

create table ledger_attempts (
  transaction_id text not null,
  ordinal integer not null,
  number integer not null,
  origin text not null,
  method text not null,
  sent_at bigint not null,
  status integer,
  took_ms bigint,
  charged text not null,
  price bigint,
  currency text,
  primary key (transaction_id, ordinal, number)
);

create table ledger_reconciliations (
  transaction_id text not null,
  ordinal integer not null,
  revision integer not null,
  attempt integer not null,
  charged text not null,
  decided_by text not null,
  decided_at bigint not null,
  note text not null,
  price bigint,
  currency text,
  primary key (transaction_id, ordinal, revision)
);

-- The lines have the transaction id of both joined tables, so that a time range can limit both sides of the join.
create view ledger_lines as
  select r.started_at, c.transaction_id, r.has_unknown, r.organization_id, r.workflow_id, c.source, c.success, c.match,
    c.charges, r.transaction_id as run_transaction_id, r.function_id
  from ledger_calls as c join ledger_runs as r on r.transaction_id = c.transaction_id;

-- How far each journal has been drained here. A database that knows of less than the journal has lost runs.
create table ledger_outboxes (journal text primary key not null, run bigint not null);

-- For the version before alone: runs that a wrong clock has dated in the future, and when that was first seen.
create table ledger_ahead (transaction_id text primary key not null, seen_at bigint not null);

-- How many runs each journal has added, per group of ids that begin alike, and how many of them were deleted (a row
-- with no journal), so that a run is missed even if all its calls are lost too.
create table ledger_run_counts (
  span text not null,
  journal text not null,
  runs bigint not null,
  deleted_up_to bigint,
  primary key (span, journal)
);

create table ledger_total_spans (
  id bigint primary key not null,
  from_at bigint not null,
  to_at bigint not null,
  kept integer not null,
  sent_first bigint,
  sent_last bigint,
  unique (from_at, to_at)
);
create table ledger_totals (
  span bigint not null references ledger_total_spans (id) on delete cascade,
  line bigint not null,
  sent_day bigint not null,
  source_key text not null,
  organization_key text not null,
  workflow_key text not null,
  credential_key text,
  rule_key text,
  currency_key text,
  requests bigint not null,
  charged_yes bigint not null,
  charged_no bigint not null,
  charged_unknown bigint not null,
  unpriced bigint not null,
  least bigint not null,
  most bigint not null,
  sent_first bigint not null,
  sent_last bigint not null,
  primary key (span, line)
)`;

const DAY = 86_400_000;
/** A span of totals is a minute, an hour or a day. */
const LENGTHS = [60_000, 3_600_000, DAY];
/** In the two-number space of advisory locks, which is separate from the space of single numbers. */
const TOTALS_LOCK = 0x64_61_74;

/**
 * Totals sum up the requests of runs that started in a span of time. Triggers delete them when such a run changes, so
 * that changes by older services and by manual statements also delete them.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  const totals = engine === "postgres" ? onPostgres() : onSqlite();
  for (const statement of [...TABLES.split(";"), ...LEDGER.split(";"), ...totals]) await sql.raw(statement).execute(db);
}

function onSqlite(): readonly string[] {
  const deleteOf = (startedAt: string): string => {
    const starts = LENGTHS.map((length) => `${startedAt} - ${startedAt} % ${length}`);
    return `delete from ledger_total_spans where from_at in (${starts.join(", ")}) and to_at > ${startedAt}`;
  };
  const ofRun = "(select started_at from ledger_runs where transaction_id = new.transaction_id)";
  return [
    ["ledger_total_run_added after insert on ledger_runs", "new.started_at"],
    ["ledger_total_run_deleted after delete on ledger_runs", "old.started_at"],
    ["ledger_total_charge_changed after update on ledger_attempts", ofRun],
  ].map(([when, startedAt]) => `create trigger ${when} begin ${deleteOf(startedAt!)}; end`);
}

/**
 * The trigger takes the lock before it reads the spans, by statements that each see all earlier commits. So a claim is
 * made either after this transaction has ended, or early enough to be seen and deleted here. The search path of a
 * manual statement may differ from the service's.
 */
function onPostgres(): readonly string[] {
  const functionOf = (name: string, changed: string): string => `
    create function ${name}() returns trigger language plpgsql set search_path from current as $$
    begin
      perform pg_advisory_xact_lock_shared(${TOTALS_LOCK}, day::integer)
        from (select distinct started_at / ${DAY} as day from ${changed} where started_at >= 0) as days;
      -- In order, so that two changes of several spans wait for each other and never each for the other.
      delete from ledger_total_spans where id in (
        select id from ledger_total_spans where (from_at, to_at) in (
          select minute - minute % length, minute - minute % length + length
          from (select distinct started_at - started_at % ${LENGTHS[0]} as minute from ${changed}) as minutes
          cross join unnest(array[${LENGTHS.join(", ")}]::bigint[]) as length)
        order by from_at, to_at for update);
      return null;
    end $$`;
  const ofAttempts =
    "(select r.started_at from changed as a join ledger_runs as r on r.transaction_id = a.transaction_id) as runs";
  const triggers = [
    ["ledger_total_run_added after insert on ledger_runs referencing new", "ledger_forget_totals"],
    ["ledger_total_run_deleted after delete on ledger_runs referencing old", "ledger_forget_totals"],
    ["ledger_total_charge_changed after update on ledger_attempts referencing new", "ledger_forget_totals_of_attempts"],
  ];
  return [
    functionOf("ledger_forget_totals", "changed"),
    functionOf("ledger_forget_totals_of_attempts", ofAttempts),
    ...triggers.map(
      ([when, call]) => `create trigger ${when} table as changed for each statement execute function ${call}()`,
    ),
  ];
}
