import type { LoginCodeStore, Operator, SessionStore } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { toOperator } from "./rows.ts";

export function createSessionStore(engine: Engine): SessionStore & LoginCodeStore {
  return {
    beginSession: async ({ digest, operatorId, createdWallAt, seenWallAt, endsWallAt }, unseenSince) => {
      await engine.writer.transaction().execute(async (transaction) => {
        await transaction
          .deleteFrom("operator_sessions")
          .where((row) => row.or([row("ends_wall_at", "<=", createdWallAt), row("seen_wall_at", "<=", unseenSince)]))
          .execute();
        await transaction
          .insertInto("operator_sessions")
          .values({
            digest,
            operator_id: operatorId,
            created_wall_at: createdWallAt,
            seen_wall_at: seenWallAt,
            ends_wall_at: endsWallAt,
          })
          .execute();
      });
    },

    findSession: async (digest) => {
      const session = await engine.reader
        .selectFrom("operator_sessions")
        .selectAll()
        .where("digest", "=", digest)
        .executeTakeFirst();
      if (session === undefined) return null;
      return {
        digest,
        operatorId: session.operator_id,
        createdWallAt: session.created_wall_at,
        seenWallAt: session.seen_wall_at,
        endsWallAt: session.ends_wall_at,
        operator: await operatorOf(engine, session.operator_id),
      };
    },

    noteSessionUse: async (digest, wallAt) => {
      await engine.unsyncedWriter
        .updateTable("operator_sessions")
        .set({ seen_wall_at: wallAt })
        .where("digest", "=", digest)
        .where("seen_wall_at", "<", wallAt)
        .execute();
    },

    endSession: async (digest) => {
      await engine.writer.deleteFrom("operator_sessions").where("digest", "=", digest).execute();
    },

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
      return operatorOf(engine, used.operator_id);
    },
  };
}

async function operatorOf({ reader }: Engine, id: string): Promise<Operator> {
  const found = reader.selectFrom("operators").selectAll().where("id", "=", id);
  return toOperator(await found.executeTakeFirstOrThrow());
}
