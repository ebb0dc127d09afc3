import type { OperatorAdmin } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { nameKey } from "./name-key.ts";
import { readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { createPersonAdmin, isNameTaken } from "./person-admin.ts";
import { toOperator } from "./rows.ts";

export function createOperatorAdmin(engine: Engine): OperatorAdmin {
  return {
    createOperator: (act, operator) =>
      recordChange(engine, act, async (transaction) => {
        if (await isNameTaken(transaction, operator.name, act.wallAt)) return null;
        const { id, name, role, digest, createdWallAt, expiresWallAt } = operator;
        const row = {
          id,
          name,
          name_key: nameKey(name),
          role,
          digest,
          login: null,
          created_wall_at: createdWallAt,
          expires_wall_at: expiresWallAt,
          revoked_wall_at: null,
          last_used_wall_at: null,
        };
        await transaction.insertInto("operators").values(row).execute();
        const detail = { name, role, expires_wall_at: expiresWallAt };
        return { result: toOperator(row), entry: { organizationId: null, subjectId: id, detail } };
      }),

    operators: async (page = {}) =>
      (await readPage(engine.reader.selectFrom("operators").selectAll(), page)).map(toOperator),

    operatorOf: async (digest) => {
      const row = await engine.reader
        .selectFrom("operators")
        .selectAll()
        .where("digest", "=", digest)
        .executeTakeFirst();
      return row === undefined ? null : toOperator(row);
    },

    noteOperatorUse: async (id, wallAt) => {
      await engine.unsyncedWriter
        .updateTable("operators")
        .set({ last_used_wall_at: wallAt })
        .where("id", "=", id)
        .where((row) => row.or([row("last_used_wall_at", "is", null), row("last_used_wall_at", "<", wallAt)]))
        .execute();
    },

    revokeOperator: (act, key) =>
      recordChange(engine, act, async (transaction) => {
        const all = transaction.selectFrom("operators").selectAll();
        const chosen =
          "id" in key
            ? all.where("id", "=", key.id)
            : "digest" in key
              ? all.where("digest", "=", key.digest)
              : all.where("name", "=", key.name).where("revoked_wall_at", "is", null).orderBy("id", "desc");
        const row = await chosen.executeTakeFirst();
        if (row === undefined) return null;
        const revokedWallAt = row.revoked_wall_at ?? act.wallAt;
        await transaction
          .updateTable("operators")
          .set({ revoked_wall_at: revokedWallAt })
          .where("id", "=", row.id)
          .execute();
        const detail = { name: row.name, again: row.revoked_wall_at !== null };
        return {
          result: toOperator({ ...row, revoked_wall_at: revokedWallAt }),
          entry: { organizationId: null, subjectId: row.id, detail },
        };
      }),

    changeOperatorRole: (act, id, role) =>
      recordChange(engine, act, async (transaction) => {
        const row = await transaction.selectFrom("operators").selectAll().where("id", "=", id).executeTakeFirst();
        if (row === undefined || row.login !== null || row.revoked_wall_at !== null) return null;
        await transaction.updateTable("operators").set({ role }).where("id", "=", id).execute();
        const detail = { name: row.name, role, role_before: row.role };
        return { result: toOperator({ ...row, role }), entry: { organizationId: null, subjectId: id, detail } };
      }),

    ...createPersonAdmin(engine),
  };
}
