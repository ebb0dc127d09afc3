import type { KeyAdmin } from "../admin/ports.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Engine } from "./engine.ts";
import { recordChange } from "./record-change.ts";
import { flag } from "./tables.ts";

/** The act for the root key of a deployment in the audit trail. */
export const ADOPTED = "keys adopt";

export function createKeyAdmin(engine: Engine): KeyAdmin {
  return {
    registerRootKey: async (act, { id, proof }, replace) => {
      const written = await recordChange(engine, act, async (transaction) => {
        if (!replace) {
          const sealed = await transaction.selectFrom("data_keys").select("id").limit(1).executeTakeFirst();
          const registered = await transaction
            .selectFrom("audit")
            .select("id")
            .where("organization_id", "is", null)
            .where("what", "=", ADOPTED)
            .limit(1)
            .executeTakeFirst();
          if (sealed !== undefined || registered !== undefined) return null;
        }
        return { result: true, entry: { what: ADOPTED, organizationId: null, subjectId: id, detail: { proof } } };
      });
      return written !== null;
    },

    discardDataKey: (act, id, withCredentials) =>
      recordChange(engine, act, async (transaction) => {
        const key = await transaction.selectFrom("data_keys").selectAll().where("id", "=", id).executeTakeFirst();
        if (key === undefined) return null;
        const sealed = await transaction
          .selectFrom("credentials")
          .select("id")
          .where("key_id", "=", id)
          .where("deleted_wall_at", "is", null)
          .orderBy("id")
          .execute();
        const credentialIds = sealed.map((credential) => credential.id);
        if (credentialIds.length > 0) {
          if (!withCredentials) {
            throw new OperatorError("refused", `Credentials are sealed with it: ${listed(credentialIds)}.`);
          }
          await transaction
            .updateTable("credentials")
            .set({ deleted_wall_at: act.wallAt, is_default: flag(false), sealed: "" })
            .where("key_id", "=", id)
            .where("deleted_wall_at", "is", null)
            .execute();
        }
        await transaction.deleteFrom("data_keys").where("id", "=", id).execute();
        const [organizationId, rootKeyId] = [key.organization_id, key.root_key_id];
        return {
          result: { organizationId, rootKeyId, credentialIds },
          entry: { organizationId, subjectId: id, detail: { root_key: rootKeyId, credentials: credentialIds } },
        };
      }),
  };
}

const LISTED_MAX = 10;

function listed(ids: readonly string[]): string {
  const more = ids.length - LISTED_MAX;
  return ids.slice(0, LISTED_MAX).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
