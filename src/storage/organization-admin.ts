import type { Transaction } from "kysely";
import type { OrganizationAdmin } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { recordChange } from "./record-change.ts";
import { toOrganization } from "./rows.ts";
import type { Tables } from "./schema.ts";

export function createOrganizationAdmin(engine: Engine): OrganizationAdmin {
  return {
    createOrganization: async (act, organization) => {
      await recordChange(engine, act, async (transaction) => {
        await transaction
          .insertInto("organizations")
          .values({ id: organization.id, name: organization.name, created_wall_at: organization.createdWallAt })
          .execute();
        const { id, name } = organization;
        return { result: true, entry: { organizationId: id, subjectId: id, detail: { name } } };
      });
    },

    organization: async (id) => {
      const row = await engine.reader.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toOrganization(row);
    },

    organizations: async () => {
      const rows = await engine.reader
        .selectFrom("organizations")
        .selectAll()
        .orderBy("created_wall_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(toOrganization);
    },
  };
}

/** For what can only be made inside an organization that exists. */
export async function organizationExists(transaction: Transaction<Tables>, id: string): Promise<boolean> {
  const row = await transaction.selectFrom("organizations").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}
