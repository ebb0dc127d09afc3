import type { CreateTableBuilder, Kysely } from "kysely";

/**
 * The tables into which the journals of all machines drain: one row per run, source call, request to a vendor, and
 * later decision on a charge.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("ledger_runs")
    .addColumn("transaction_id", "text", (column) => column.primaryKey().notNull())
    .addColumn("state", "text", (column) => column.notNull())
    .addColumn("kind", "text", (column) => column.notNull())
    .addColumn("organization_id", "text", (column) => column.notNull())
    .addColumn("workflow_id", "text", (column) => column.notNull())
    .addColumn("token_id", "text", (column) => column.notNull())
    .addColumn("context", "text", (column) => column.notNull())
    .addColumn("region", "text", (column) => column.notNull())
    .addColumn("simulated", "integer", (column) => column.notNull())
    .addColumn("function_id", "text")
    .addColumn("started_at", "bigint", (column) => column.notNull())
    .addColumn("took_ms", "bigint")
    .addColumn("client_gone", "integer", (column) => column.notNull())
    .addColumn("function_fault", "text")
    .execute();
  await db.schema.createIndex("ledger_runs_by_time").on("ledger_runs").column("started_at").execute();
  await db.schema
    .createIndex("ledger_runs_of_organization")
    .on("ledger_runs")
    .columns(["organization_id", "started_at"])
    .execute();

  await ofRun(db.schema.createTable("ledger_calls"))
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("success", "integer")
    .addColumn("match", "integer")
    .addColumn("fault_code", "text")
    .addColumn("fault_kind", "text")
    .addColumn("charged", "text", (column) => column.notNull())
    .addColumn("credential_id", "text")
    .addColumn("credential_rule", "text", (column) => column.notNull())
    .addColumn("started_after_ms", "bigint")
    .addColumn("took_ms", "bigint")
    .addColumn("output_bytes", "bigint")
    .addPrimaryKeyConstraint("ledger_calls_key", ["transaction_id", "ordinal"])
    .execute();
  await db.schema.createIndex("ledger_calls_of_source").on("ledger_calls").column("source").execute();

  await ofRun(db.schema.createTable("ledger_attempts"))
    .addColumn("number", "integer", (column) => column.notNull())
    .addColumn("origin", "text", (column) => column.notNull())
    .addColumn("method", "text", (column) => column.notNull())
    .addColumn("sent_at", "bigint", (column) => column.notNull())
    .addColumn("status", "integer")
    .addColumn("took_ms", "bigint")
    .addColumn("charged", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("ledger_attempts_key", ["transaction_id", "ordinal", "number"])
    .execute();

  await ofRun(db.schema.createTable("ledger_reconciliations"))
    .addColumn("revision", "integer", (column) => column.notNull())
    .addColumn("attempt", "integer", (column) => column.notNull())
    .addColumn("charged", "text", (column) => column.notNull())
    .addColumn("decided_by", "text", (column) => column.notNull())
    .addColumn("decided_at", "bigint", (column) => column.notNull())
    .addColumn("note", "text", (column) => column.notNull())
    .addPrimaryKeyConstraint("ledger_reconciliations_key", ["transaction_id", "ordinal", "revision"])
    .execute();
}

function ofRun<Table extends string>(table: CreateTableBuilder<Table>) {
  return table
    .addColumn("transaction_id", "text", (column) => column.notNull())
    .addColumn("ordinal", "integer", (column) => column.notNull());
}
