import type { TokenAdmin } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { nameKey } from "./name-key.ts";
import { organizationExists } from "./organization-admin.ts";
import { readPage } from "./read-page.ts";
import { recordChange } from "./record-change.ts";
import { toIssuedToken } from "./rows.ts";

export function createTokenAdmin(engine: Engine): TokenAdmin {
  return {
    createToken: (act, token) =>
      recordChange(engine, act, async (transaction) => {
        if (!(await organizationExists(transaction, token.organizationId))) return null;
        const row = {
          id: token.id,
          organization_id: token.organizationId,
          name: token.name,
          name_key: nameKey(token.name),
          digest: token.digest,
          created_wall_at: token.createdWallAt,
          expires_wall_at: token.expiresWallAt,
          revoked_wall_at: null,
          last_used_wall_at: null,
        };
        await transaction.insertInto("tokens").values(row).execute();
        return {
          result: toIssuedToken(row),
          entry: {
            organizationId: token.organizationId,
            subjectId: token.id,
            detail: { name: token.name, expires_wall_at: token.expiresWallAt },
          },
        };
      }),

    tokens: async (organizationId, { state, wallAt = 0, ...page } = {}) => {
      const own = engine.reader.selectFrom("tokens").selectAll().where("organization_id", "=", organizationId);
      const chosen =
        state === undefined
          ? own
          : state === "revoked"
            ? own.where("revoked_wall_at", "is not", null)
            : own
                .where("revoked_wall_at", "is", null)
                .where(({ eb, or }) =>
                  state === "expired"
                    ? eb("expires_wall_at", "<=", wallAt)
                    : or([eb("expires_wall_at", "is", null), eb("expires_wall_at", ">", wallAt)]),
                );
      return (await readPage(chosen, page)).map(toIssuedToken);
    },

    revokeToken: (act, token) =>
      recordChange(engine, act, async (transaction) => {
        const [column, value] = "id" in token ? (["id", token.id] as const) : (["digest", token.digest] as const);
        const row = await transaction.selectFrom("tokens").selectAll().where(column, "=", value).executeTakeFirst();
        if (row === undefined) return null;
        const revokedWallAt = row.revoked_wall_at ?? act.wallAt;
        await transaction
          .updateTable("tokens")
          .set({ revoked_wall_at: revokedWallAt })
          .where("id", "=", row.id)
          .execute();
        return {
          result: toIssuedToken({ ...row, revoked_wall_at: revokedWallAt }),
          entry: {
            organizationId: row.organization_id,
            subjectId: row.id,
            detail: { again: row.revoked_wall_at !== null },
          },
        };
      }),
  };
}
