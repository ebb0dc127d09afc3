import { type Kysely, sql } from "kysely";
import type { EngineName } from "../engine.ts";

const DAY = 86_400_000;
/** A span of totals is a minute, an hour or a day. */
const LENGTHS = [60_000, 3_600_000, DAY];
/** Apart from the advisory locks that have one number. */
const TOTALS_LOCK = 0x64_61_74;

/**
 * Totals of the requests of runs that started in a span of time. Triggers delete them when such a run changes, so that
 * services of an older version and statements by hand do so too.
 */
export async function up(db: Kysely<unknown>, engine: EngineName): Promise<void> {
  await db.schema
    .createTable("ledger_total_spans")
    .addColumn("id", "bigint", (column) => column.primaryKey().notNull())
    .addColumn("from_at", "bigint", (column) => column.notNull())
    .addColumn("to_at", "bigint", (column) => column.notNull())
    .addColumn("kept", "integer", (column) => column.notNull())
    .addColumn("sent_first", "bigint")
    .addColumn("sent_last", "bigint")
    .addUniqueConstraint("ledger_total_spans_time", ["from_at", "to_at"])
    .execute();
  let totals = db.schema
    .createTable("ledger_totals")
    .addColumn("span", "bigint", (column) => column.notNull().references("ledger_total_spans.id").onDelete("cascade"))
    .addColumn("line", "bigint", (column) => column.notNull())
    .addColumn("sent_day", "bigint", (column) => column.notNull())
    .addColumn("source_key", "text", (column) => column.notNull())
    .addColumn("organization_key", "text", (column) => column.notNull())
    .addColumn("workflow_key", "text", (column) => column.notNull())
    .addColumn("credential_key", "text")
    .addColumn("rule_key", "text")
    .addColumn("currency_key", "text");
  for (const figure of [
    "requests",
    "charged_yes",
    "charged_no",
    "charged_unknown",
    "unpriced",
    "least",
    "most",
    "sent_first",
    "sent_last",
  ])
    totals = totals.addColumn(figure, "bigint", (column) => column.notNull());
  await totals.addPrimaryKeyConstraint("ledger_totals_key", ["span", "line"]).execute();
  await (engine === "postgres" ? onPostgres(db) : onSqlite(db));
}

async function onSqlite(db: Kysely<unknown>): Promise<void> {
  const deleteOf = (startedAt: string): string => {
    const starts = LENGTHS.map((length) => `${startedAt} - ${startedAt} % ${length}`);
    return `delete from ledger_total_spans where from_at in (${starts.join(", ")}) and to_at > ${startedAt}`;
  };
  const ofRun = "(select started_at from ledger_runs where transaction_id = new.transaction_id)";
  for (const [when, startedAt] of [
    ["ledger_total_run_added after insert on ledger_runs", "new.started_at"],
    ["ledger_total_run_deleted after delete on ledger_runs", "old.started_at"],
    ["ledger_total_charge_changed after update on ledger_attempts", ofRun],
  ] as const)
    await sql.raw(`create trigger ${when} begin ${deleteOf(startedAt)}; end`).execute(db);
}

/**
 * The lock is taken before the spans are looked at, by statements that each see what is committed by then: so a claim is
 * made either after this transaction has ended, or early enough to be seen and deleted here. Whoever changes a run by hand
 * may look for tables elsewhere than the service does.
 */
async function onPostgres(db: Kysely<unknown>): Promise<void> {
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
  await sql.raw(functionOf("ledger_forget_totals", "changed")).execute(db);
  await sql.raw(functionOf("ledger_forget_totals_of_attempts", ofAttempts)).execute(db);
  for (const [when, call] of [
    ["ledger_total_run_added after insert on ledger_runs referencing new table as changed", "ledger_forget_totals"],
    ["ledger_total_run_deleted after delete on ledger_runs referencing old table as changed", "ledger_forget_totals"],
    [
      "ledger_total_charge_changed after update on ledger_attempts referencing new table as changed",
      "ledger_forget_totals_of_attempts",
    ],
  ] as const)
    await sql.raw(`create trigger ${when} for each statement execute function ${call}()`).execute(db);
}
