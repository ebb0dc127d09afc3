import { Type } from "../../../terms/schema/type.ts";
import { givenOf, organizationInput } from "../../shared-inputs.ts";
import { requireOrganization } from "../../require.ts";
import { idOf, nextCursor, pagedById, readPage } from "../../pagination.ts";
import { listOf } from "../../result-schemas.ts";
import { PREFIX } from "../../../terms/ids.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflows, versionsText, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "List the workflows of an organization, newest first",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    org: organizationInput,
    name: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "Only workflows whose name begins with this" }),
    ),
    id: Type.Optional(
      Type.String({
        pattern: `^${PREFIX.workflow}[0-9a-z]{0,64}$`,
        description: "Only workflows whose id begins with this",
        "x-says": "must be the beginning of the id of a workflow (wfl_…)",
      }),
    ),
    ...pagedById(PREFIX.workflow),
  },
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({ workflows: listOf(wireWorkflow), ...nextCursor }),

  cells: { versions: versionsText },

  async run({ org, name, id, ...page }, { store, note }) {
    const open = await store();
    await requireOrganization(open, org);
    const { lines, next } = await readPage(page, note, idOf, (asked) =>
      open.workflows(org, { ...asked, ...givenOf({ nameStart: name, idStart: id }) }),
    );
    return { workflows: await toWireWorkflows(lines, open), ...next };
  },
});
