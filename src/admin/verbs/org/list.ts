import { Type } from "../../../terms/schema/type.ts";
import { toWireOrganization, wireOrganization } from "../../organization-wire.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "List the organizations, newest first",
  example: "--json",
  input: pagedById(PREFIX.organization),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({ organizations: listOf(wireOrganization), ...nextCursor }),

  async run(page, { store, note }) {
    const open = await store();
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.organizations(asked));
    return { organizations: lines.map(toWireOrganization), ...next };
  },
});
