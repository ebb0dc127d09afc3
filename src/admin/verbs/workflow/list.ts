import { Type } from "../../../terms/type.ts";
import { organizationInput } from "../../inputs.ts";
import { requireOrganization } from "../../require.ts";
import { listed } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflow, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "List the workflows of an organization, newest first",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ org: organizationInput }, { additionalProperties: false }),
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: listed("workflows", wireWorkflow),

  async run({ org }, { store }) {
    const open = await store();
    await requireOrganization(open, org);
    return { workflows: (await open.workflows(org)).map(toWireWorkflow) };
  },
});
