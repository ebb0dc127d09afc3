import type { SessionStore } from "../admin/ports.ts";
import type { Engine } from "./engine.ts";
import { toOperator } from "./rows.ts";

export function createSessionStore(engine: Engine): SessionStore {
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
      const operator = await engine.reader
        .selectFrom("operators")
        .selectAll()
        .where("id", "=", session.operator_id)
        .executeTakeFirstOrThrow();
      return {
        digest,
        operatorId: session.operator_id,
        createdWallAt: session.created_wall_at,
        seenWallAt: session.seen_wall_at,
        endsWallAt: session.ends_wall_at,
        operator: toOperator(operator),
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
  };
}
