import { type Kysely, sql } from "kysely";

/** Answers every page of a list from an index, however many rows an organization has. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const table of ["tokens", "workflows", "budgets"]) {
    await db.schema.dropIndex(`${table}_of_organization`).execute();
    await ofOrganization(db, table).execute();
  }
  await ofOrganization(db, "credentials").where(sql.ref("deleted_wall_at"), "is", sql.lit(null)).execute();
  // Each run of an operator leaves a revoked token, so most may be.
  await db.schema
    .createIndex("tokens_in_use")
    .on("tokens")
    .columns(["organization_id", "id"])
    .where(sql.ref("revoked_wall_at"), "is", sql.lit(null))
    .execute();
  await db.schema
    .createIndex("credential_prices_of_credential")
    .on("credential_prices")
    .columns(["credential_id", "from_wall_at desc", "above"])
    .execute();
  await db.schema.createIndex("audit_of_subject").on("audit").columns(["subject_id", "id"]).execute();
}

function ofOrganization(db: Kysely<unknown>, table: string) {
  return db.schema.createIndex(`${table}_of_organization`).on(table).columns(["organization_id", "id"]);
}
