import type { Transaction } from "kysely";
import type { OrganizationAdmin } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { nameKey } from "./name-key.ts";
import { readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { toOrganization } from "./rows.ts";
import { flag, type Tables } from "./tables.ts";

export function createOrganizationAdmin(engine: Engine): OrganizationAdmin {
  return {
    createOrganization: async (act, organization) => {
      await recordChange(engine, act, async (transaction) => {
        await transaction
          .insertInto("organizations")
          .values({
            id: organization.id,
            name: organization.name,
            name_key: nameKey(organization.name),
            created_wall_at: organization.createdWallAt,
            disabled: flag(false),
          })
          .execute();
        const { id, name } = organization;
        return { result: true, entry: { organizationId: id, subjectId: id, detail: { name } } };
      });
    },

    changeOrganization: (act, id, change) =>
      recordChange(engine, act, async (transaction) => {
        const row = await transaction.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined) return null;
        const before = toOrganization(row);
        const organization = { ...before, ...change };
        await transaction
          .updateTable("organizations")
          .set({
            name: organization.name,
            name_key: nameKey(organization.name),
            disabled: flag(organization.disabled),
          })
          .where("id", "=", id)
          .execute();
        const detail = { ...change, ...(change.name !== undefined && { name_before: before.name }) };
        return { result: organization, entry: { organizationId: id, subjectId: id, detail } };
      }),

    organization: async (id) => {
      const row = await engine.reader.selectFrom("organizations").selectAll().where("id", "=", id).executeTakeFirst();
      return row === undefined ? null : toOrganization(row);
    },

    organizations: async (page = {}) =>
      (await readPage(engine.reader.selectFrom("organizations").selectAll(), page)).map(toOrganization),
  };
}

/** Check it before creating an object of an organization. */
export async function organizationExists(transaction: Transaction<Tables>, id: string): Promise<boolean> {
  const row = await transaction.selectFrom("organizations").select("id").where("id", "=", id).executeTakeFirst();
  return row !== undefined;
}
