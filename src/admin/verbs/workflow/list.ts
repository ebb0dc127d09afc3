import { Type } from "../../../terms/schema/type.ts";
import { organizationInput } from "../../shared-inputs.ts";
import { requireOrganization } from "../../require.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflows, versionsText, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "List the workflows of an organization, newest first",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ org: organizationInput, ...pagedById(PREFIX.workflow) }, { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({ workflows: listOf(wireWorkflow), ...nextCursor }),

  cells: { versions: versionsText },

  async run({ org, ...page }, { store, note }) {
    const open = await store();
    await requireOrganization(open, org);
    const { lines, next } = await readPage(page, note, idOf, (asked) => open.workflows(org, asked));
    return { workflows: await toWireWorkflows(lines, open), ...next };
  },
});
