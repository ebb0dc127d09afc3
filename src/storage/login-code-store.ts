import type { LoginCodeStore } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { toOperator } from "./rows.ts";

export function createLoginCodeStore(engine: Engine): LoginCodeStore {
  return {
    addLoginCode: async ({ digest, operatorId, endsWallAt }, wallAt) => {
      await engine.writer.transaction().execute(async (transaction) => {
        await transaction.deleteFrom("login_codes").where("ends_wall_at", "<=", wallAt).execute();
        await transaction
          .insertInto("login_codes")
          .values({ digest, operator_id: operatorId, ends_wall_at: endsWallAt })
          .execute();
      });
    },

    useLoginCode: async (digest, wallAt) => {
      // One statement, so that only one of two simultaneous uses finds the row.
      const used = await engine.writer
        .deleteFrom("login_codes")
        .where("digest", "=", digest)
        .returning(["operator_id", "ends_wall_at"])
        .executeTakeFirst();
      if (used === undefined || used.ends_wall_at <= wallAt) return null;
      const operator = await engine.reader
        .selectFrom("operators")
        .selectAll()
        .where("id", "=", used.operator_id)
        .executeTakeFirstOrThrow();
      return toOperator(operator);
    },
  };
}
