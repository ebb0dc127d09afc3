import { Type } from "../../../terms/type.ts";
import { organizationInput } from "../../inputs.ts";
import { idOf, nextPlace, pagedById, readPage } from "../../pages.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { anObject, listOf, oneOf, orNull, text, time } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

export default defineVerb({
  summary: "List what operators changed, newest first",
  description: "Shows who changed what and when, without secrets. Runs and vendor calls are on the ledger instead.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --limit 20",
  input: Type.Object(
    {
      org: Type.Optional(organizationInput),
      ...pagedById(PREFIX.audit),
    },
    { additionalProperties: false },
  ),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    entries: listOf(
      Type.Object({
        at: time,
        who: text,
        via: oneOf("cli", "api", "service"),
        what: text,
        organization_tuid: orNull(text),
        subject: text,
        detail: anObject,
      }),
    ),
    ...nextPlace,
  }),

  async run({ org, ...page }, { store, note }) {
    const open = await store();
    const chosen = org === undefined ? {} : { organizationId: org };
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.auditEntries({ ...chosen, ...asked }));
    return {
      entries: lines.map((entry) => ({
        at: toWireTime(entry.wallAt),
        who: entry.who,
        via: entry.via,
        what: entry.what,
        organization_tuid: entry.organizationId,
        subject: entry.subjectId,
        detail: entry.detail,
      })),
      ...next,
    };
  },
});
