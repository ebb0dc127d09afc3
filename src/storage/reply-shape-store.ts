import { sql } from "kysely";
import type { ReplyShapeStore, StoredShape } from "../health/ports.ts";
import { addRows, inColumns } from "./add-rows.ts";
import type { Engine } from "./engine.ts";

/** Counts of sampled replies. Every row belongs to one process, so no addition counts as a change by an operator. */
export function createReplyShapeStore(engine: Engine): ReplyShapeStore {
  return {
    saveReplyShapes: async (shapes) => {
      if (shapes.length === 0) return;
      const rows = shapes.map((shape) => ({ id: idOf(shape), ...shape }));
      await engine.unsyncedWriter.transaction().execute((transaction) =>
        addRows(engine.name, transaction, {
          table: "reply_shapes",
          key: ["id"],
          rows: inColumns(rows),
          change: sql`update set samples = excluded.samples, counts = excluded.counts`,
        }),
      );
    },

    replyShapes: async ({ source, version, span, from, to }) => {
      let query = engine.reader
        .selectFrom("reply_shapes")
        .select(["source", "version", "span", "at", "writer", "samples", "counts"])
        .where("source", "=", source)
        .where("span", "=", span)
        .where("at", ">=", from)
        .where("at", "<", to);
      if (version !== undefined) query = query.where("version", "=", version);
      return query.orderBy("at").orderBy("id").execute();
    },

    sampledSources: async (since) => {
      const rows = await engine.reader
        .selectFrom("reply_shapes")
        .select("source")
        .distinct()
        .where("span", "=", "hour")
        .where("at", ">=", since)
        .orderBy("source")
        .execute();
      return rows.map(({ source }) => source);
    },

    removeReplyShapes: async (before) => {
      await engine.unsyncedWriter
        .transaction()
        .execute((transaction) =>
          transaction
            .deleteFrom("reply_shapes")
            .where("span", "in", ["hour", "day"])
            .where("at", "<", before)
            .execute(),
        );
    },
  };
}

function idOf({ source, version, span, at, writer }: StoredShape): string {
  return `${source}/${version}/${span}/${at}/${writer}`;
}
