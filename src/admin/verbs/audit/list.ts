import { Type } from "../../../terms/type.ts";
import { organizationInput } from "../../inputs.ts";
import { anObject, listOf, oneOf, orNull, text, time } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

const SHOWN = 100;

export default defineVerb({
  summary: "List what operators changed, newest first",
  description:
    "Shows who changed what and when, without secrets. If there are older entries, the result has `next`, which is what to give as --after. Runs and vendor calls are on the ledger instead.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --limit 20",
  input: Type.Object(
    {
      org: Type.Optional(organizationInput),
      after: Type.Optional(
        Type.String({
          pattern: "^adt_[0-9a-f]{32}$",
          description: "Where the previous list ended, as it said",
          "x-says": "must be the value that the previous list gave",
        }),
      ),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: `How many to show; ${SHOWN} by default` }),
      ),
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
    next: Type.Optional(text),
  }),

  async run({ org, after, limit = SHOWN }, { store, note }) {
    const entries = await (
      await store()
    ).auditEntries({
      ...(org !== undefined && { organizationId: org }),
      ...(after !== undefined && { after }),
      limit: limit + 1,
    });
    const next = entries.length > limit ? entries[limit - 1]!.id : null;
    if (next !== null) note(`There are older entries. To see them, give --after ${next}`);
    return {
      entries: entries.slice(0, limit).map((entry) => ({
        at: toWireTime(entry.wallAt),
        who: entry.who,
        via: entry.via,
        what: entry.what,
        organization_tuid: entry.organizationId,
        subject: entry.subjectId,
        detail: entry.detail,
      })),
      ...(next !== null && { next }),
    };
  },
});
