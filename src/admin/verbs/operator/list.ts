import { Type } from "../../../terms/schema/type.ts";
import { toWireOperator, wireOperator } from "../../operator-wire.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List who may use the admin API, newest first",
  description: "Tokens are never shown. The time of last use is exact to the minute.",
  example: "",
  input: pagedById(PREFIX.operator),
  changes: false,
  role: "viewer",
  needs: ["store"],

  result: Type.Object({ operators: listOf(wireOperator), ...nextCursor }),

  async run(page, { act, store, note }) {
    const open = await store();
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.operators(asked));
    return { operators: lines.map((operator) => toWireOperator(operator, act.wallAt)), ...next };
  },
});
