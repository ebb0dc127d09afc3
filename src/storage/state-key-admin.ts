import type { Transaction } from "kysely";
import type { StateAct, StateKey, StateKeyAdmin } from "../admin/ports.ts";
import type { JsonObject } from "../terms/json/json.ts";
import { OperatorError } from "../terms/operator-error.ts";
import type { Engine } from "./engine.ts";
import type { Tables } from "./tables.ts";

/** The row that counts operators' changes alone. The other one also counts versions, which services register. */
export const ACTS_ROW = 2;

export function createStateKeyAdmin(engine: Engine): StateKeyAdmin {
  return {
    lastChange: async () => {
      const row = engine.reader.selectFrom("datarun_changes").select("changes").where("id", "=", ACTS_ROW);
      return (await row.executeTakeFirst())?.changes ?? 0;
    },

    keyedObjects: async () => {
      const rows = await engine.reader.selectFrom("state_keys").selectAll().orderBy("id").execute();
      return rows.map((row) => ({
        kind: row.kind,
        parentId: row.parent_id,
        key: row.state_key,
        id: row.object_id,
        applied: JSON.parse(row.applied) as JsonObject,
      }));
    },

    recordApplied: async (objects) => {
      if (objects.length === 0) return;
      await engine.writer.transaction().execute(async (transaction) => {
        for (const { id, applied } of objects)
          await transaction
            .updateTable("state_keys")
            .set({ applied: JSON.stringify(applied) })
            .where("object_id", "=", id)
            .execute();
      });
    },
  };
}

/** Records the key of a changed object in the transaction of the change. @throws OperatorError if another object has it */
export async function recordStateKey(
  transaction: Transaction<Tables>,
  { bind, release }: StateAct,
  objectId: string,
): Promise<void> {
  if (release !== undefined) await transaction.deleteFrom("state_keys").where("object_id", "=", release).execute();
  if (bind === undefined) return;
  const id = idOf(bind);
  const before = await transaction.selectFrom("state_keys").select("object_id").where("id", "=", id).executeTakeFirst();
  if (before !== undefined && before.object_id !== bind.replaces && before.object_id !== objectId)
    throw new OperatorError("refused", `The key ${bind.key} was given to another ${bind.kind} meanwhile.`);
  // The file may give an object another key.
  await transaction.deleteFrom("state_keys").where("object_id", "=", objectId).where("id", "!=", id).execute();
  const row = { object_id: objectId, applied: JSON.stringify(bind.applied) };
  if (before !== undefined) {
    await transaction.updateTable("state_keys").set(row).where("id", "=", id).execute();
    return;
  }
  await transaction
    .insertInto("state_keys")
    .values({ id, kind: bind.kind, parent_id: bind.parentId, state_key: bind.key, ...row })
    .execute();
}

function idOf({ kind, parentId, key }: StateKey): string {
  return `${kind}/${parentId ?? ""}/${key}`;
}
