import { auditFilterInputs, toAuditQuery, toWireEntry, wireEntry, withNames } from "../../audit-wire.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { findActs, withNear } from "../../find-acts.ts";
import { listOf, oneOf, text } from "../../result-schemas.ts";
import { Type } from "../../../terms/schema/type.ts";
import { givenOf } from "../../shared-inputs.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List what operators changed, newest first",
  description: "Shows who changed what and when, without secrets. Runs and vendor calls are in the ledger.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --what token --from 2026-03-01 --limit 20",
  input: { ...auditFilterInputs, ...pagedById(PREFIX.audit) },
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    entries: listOf(wireEntry),
    unknown: Type.Optional(
      Type.Object(
        { of: oneOf("who", "what"), says: text, near: listOf(text) },
        {
          description:
            "Why nothing can match: no act has such words, or no name begins like that; `near` has suggestions",
        },
      ),
    ),
    ...nextCursor,
  }),
  columns: { entries: ["at", "who", "via", "what", "organization_tuid", "subject", "detail"] },

  async run({ limit, after, ...filter }, { store, note }) {
    const open = await store();
    const found = await findActs(open, toAuditQuery(filter));
    const page = givenOf({ limit, after });
    const { lines, next } = await readPage(page, note, idOf, (asked) => found.entries(asked));
    const entries = (await withNames(open, lines)).map(toWireEntry);
    if (found.unknown !== null) note(withNear(found.unknown));
    return {
      entries,
      ...(found.unknown !== null && { unknown: { ...found.unknown } }),
      ...next,
    };
  },
});
