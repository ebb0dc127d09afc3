import { type Kysely, sql } from "kysely";

/** Organizations, who may call for them, their vendor credentials, and the audit trail of operators. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable("organizations")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .execute();

  await db.schema
    .createTable("tokens")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organization_id", "text", (column) => column.notNull().references("organizations.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("digest", "text", (column) => column.notNull().unique())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .addColumn("expires_wall_at", "bigint")
    .addColumn("revoked_wall_at", "bigint")
    .addColumn("last_used_wall_at", "bigint")
    .execute();
  await db.schema.createIndex("tokens_of_organization").on("tokens").column("organization_id").execute();

  await db.schema
    .createTable("workflows")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organization_id", "text", (column) => column.notNull().references("organizations.id"))
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("disabled", "integer", (column) => column.notNull())
    .addColumn("auto_credentials", "integer", (column) => column.notNull())
    .addColumn("failure_details", "integer", (column) => column.notNull())
    .addColumn("mask_credentials", "integer", (column) => column.notNull())
    .addColumn("simulated", "integer", (column) => column.notNull())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("workflows_of_organization").on("workflows").column("organization_id").execute();

  await db.schema
    .createTable("data_keys")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organization_id", "text", (column) => column.notNull().references("organizations.id"))
    .addColumn("root_key_id", "text", (column) => column.notNull())
    .addColumn("wrapped", "text", (column) => column.notNull())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("data_keys_of_organization").on("data_keys").column("organization_id").execute();

  await db.schema
    .createTable("credentials")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("organization_id", "text", (column) => column.notNull().references("organizations.id"))
    .addColumn("source", "text", (column) => column.notNull())
    .addColumn("version", "bigint", (column) => column.notNull())
    .addColumn("contexts", "text", (column) => column.notNull())
    .addColumn("is_default", "integer", (column) => column.notNull())
    .addColumn("disabled", "integer", (column) => column.notNull())
    .addColumn("created_wall_at", "bigint", (column) => column.notNull())
    .addColumn("deleted_wall_at", "bigint")
    .addColumn("key_id", "text", (column) => column.notNull())
    .addColumn("sealed", "text", (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex("credentials_of_organization_and_source")
    .on("credentials")
    .columns(["organization_id", "source"])
    .execute();

  await db.schema
    .createTable("audit")
    .addColumn("id", "text", (column) => column.primaryKey().notNull())
    .addColumn("wall_at", "bigint", (column) => column.notNull())
    .addColumn("who", "text", (column) => column.notNull())
    .addColumn("via", "text", (column) => column.notNull())
    .addColumn("what", "text", (column) => column.notNull())
    .addColumn("organization_id", "text")
    .addColumn("subject_id", "text", (column) => column.notNull())
    .addColumn("detail", "text", (column) => column.notNull())
    .execute();
  await db.schema.createIndex("audit_of_organization").on("audit").columns(["organization_id", "id"]).execute();

  await db.schema
    .createTable("datarun_changes")
    .addColumn("id", "integer", (column) => column.primaryKey().notNull())
    .addColumn("changes", "bigint", (column) => column.notNull())
    .execute();
  await sql`insert into datarun_changes (id, changes) values (1, 1)`.execute(db);
}
