import { type Kysely, sql } from "kysely";

/**
 * Answers lists of runs from indexes alone; and counts the ids of a run that belong to no source, which are not calls.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable("ledger_runs")
    .addColumn("verdicts", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable("ledger_runs")
    .addColumn("unknown_sources", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable("ledger_runs").addColumn("unknown_source_names", "text").execute();
  await db.schema
    .alterTable("ledger_calls")
    .addColumn("charges", "integer", (column) => column.notNull().defaultTo(0))
    .execute();
  // The bits of the ledger's `verdicts.ts`: for the charge of a request, for a call without requests, for its outcome.
  await sql`
    update ledger_calls set charges = coalesce((
      select cast(sum(distinct case a.charged when 'no' then 1 when 'yes' then 2 else 4 end) as integer)
      from ledger_attempts as a
      where a.transaction_id = ledger_calls.transaction_id and a.ordinal = ledger_calls.ordinal),
      case when charged = 'unknown' then 12 else 8 end)
  `.execute(db);
  await sql`
    update ledger_runs set verdicts = coalesce((
      select cast(sum(distinct bits.bit << (
        case when c.success is null then 12 when c.success = 0 then 8 when c.match = 1 then 0 else 4 end)) as integer)
      from ledger_calls as c join (select 1 as bit union all select 2 union all select 4 union all select 8) as bits
        on (c.charges & bits.bit) <> 0
      where c.transaction_id = ledger_runs.transaction_id), 0)
  `.execute(db);

  for (const index of ["ledger_runs_by_time", "ledger_runs_of_organization", "ledger_runs_unknown"])
    await db.schema.dropIndex(index).execute();
  const listed = ["started_at", "transaction_id", "verdicts"];
  const indexOn = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on("ledger_runs")
      .columns([...columns]);
  await indexOn("ledger_runs_by_time", ["started_at", "transaction_id", "has_unknown", "verdicts"]).execute();
  await indexOn("ledger_runs_unknown", listed).where(sql.ref("has_unknown"), "=", sql.lit(1)).execute();
  await indexOn("ledger_runs_of_organization", ["organization_id", "has_unknown", ...listed]).execute();
  await indexOn("ledger_runs_of_workflow", ["workflow_id", "has_unknown", ...listed]).execute();
  // Outcomes have few values, so they add little to an index. Ids of runs sort by start time, so the second index has
  // the newest runs first, for calls that are frequent.
  await db.schema.dropIndex("ledger_calls_of_source").execute();
  const verdict = ["success", "match", "charges"];
  const callsBy = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on("ledger_calls")
      .columns([...columns]);
  await callsBy("ledger_calls_of_source", ["source", ...verdict]).execute();
  await callsBy("ledger_calls_of_source_by_time", ["source", "transaction_id", ...verdict]).execute();
  // Unknown charges are found in the rows of a run that is marked.
  await sql`drop view ledger_unsettled`.execute(db);
  for (const table of ["ledger_calls", "ledger_attempts"]) await db.schema.dropIndex(`${table}_unknown`).execute();
  await sql`
    create view ledger_lines as
    select r.started_at, c.transaction_id, r.has_unknown, r.organization_id, r.workflow_id, c.source, c.success, c.match,
      c.charges
    from ledger_calls as c join ledger_runs as r on r.transaction_id = c.transaction_id
  `.execute(db);
}
