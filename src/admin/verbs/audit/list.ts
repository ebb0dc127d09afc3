import { Type } from "../../../terms/type.ts";
import { organizationInput } from "../../inputs.ts";
import { anObject, listed, oneOf, orNull, text, time } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireTime } from "../../wire-time.ts";

const SHOWN = 100;

export default defineVerb({
  summary: "List what operators changed, newest first",
  description: "Shows who changed what and when, without secrets. Runs and vendor calls are on the ledger instead.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --limit 20",
  input: Type.Object(
    {
      org: Type.Optional(organizationInput),
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 10_000, description: `How many to show; ${SHOWN} by default` }),
      ),
    },
    { additionalProperties: false },
  ),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: listed(
    "entries",
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

  async run({ org, limit = SHOWN }, { store, note }) {
    const asked = { ...(org !== undefined && { organizationId: org }), limit: limit + 1 };
    const entries = await (await store()).auditEntries(asked);
    if (entries.length > limit) note("There are older entries. To see them, give a higher --limit.");
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
    };
  },
});
