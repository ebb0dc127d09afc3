import { sql, type Kysely } from "kysely";

/** What a list of runs asks for stands in indexes alone; and how many ids of no source a run has asked for, which are no calls. */
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
  // A bit for each pair of outcome and charge, as the ledger's verdicts have it.
  await sql`
    update ledger_runs set verdicts = coalesce((
      select cast(sum(distinct 1 << (
        case when c.success is null then 9 when c.success = 0 then 6 when c.match = 1 then 0 else 3 end
        + case c.charged when 'no' then 0 when 'yes' then 1 else 2 end)) as integer)
      from ledger_calls as c where c.transaction_id = ledger_runs.transaction_id), 0)
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
  // How a call came out takes few values, which costs an index little. Ids of runs sort by the time of their start, so the
  // second index has the newest first, for what comes often.
  await db.schema.dropIndex("ledger_calls_of_source").execute();
  const verdict = ["success", "match", "charged"];
  const callsBy = (name: string, columns: readonly string[]) =>
    db.schema
      .createIndex(name)
      .on("ledger_calls")
      .columns([...columns]);
  await callsBy("ledger_calls_of_source", ["source", ...verdict]).execute();
  await callsBy("ledger_calls_of_source_by_time", ["source", "transaction_id", ...verdict]).execute();
  // Which charges nobody knows is seen from the rows of a run that is marked.
  await sql`drop view ledger_unsettled`.execute(db);
  for (const table of ["ledger_calls", "ledger_attempts"]) await db.schema.dropIndex(`${table}_unknown`).execute();
  await sql`
    create view ledger_lines as
    select r.started_at, c.transaction_id, r.has_unknown, r.organization_id, r.workflow_id, c.source, c.success, c.match,
      c.charged
    from ledger_calls as c join ledger_runs as r on r.transaction_id = c.transaction_id
  `.execute(db);
}
