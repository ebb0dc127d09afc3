import { Type } from "../../../terms/schema/type.ts";
import { PLAIN_WORKFLOW } from "../../../terms/caller.ts";
import { newId } from "../../../terms/ids.ts";
import { nameInput, organizationInput } from "../../shared-inputs.ts";
import { unknownOrganization } from "../../require.ts";
import { text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { workflowSettings } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "Create a workflow in an organization",
  description:
    "Every request names a workflow of its token's organization. The id of a workflow is not secret. A simulated workflow calls no vendor, refuses the context prod and marks its answers; this cannot be changed later.",
  example: "--org org_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --name onboarding --auto-credentials",
  input: {
    org: organizationInput,
    name: Type.Optional(nameInput("What the workflow is for")),
    ...workflowSettings,
    simulated: Type.Optional(
      Type.Boolean({ description: "No call leaves the machine, and answers are marked as simulated" }),
    ),
  },
  role: "operator",
  changes: true,
  needs: ["store"],

  result: Type.Object({ workflow: text }),

  async run(input, { act, store }) {
    const open = await store();
    const workflow = await open.createWorkflow(act, {
      id: newId("workflow", act.wallAt),
      organizationId: input.org,
      name: input.name ?? "",
      disabled: false,
      autoCredentials: input.auto_credentials ?? false,
      failureDetails: input.failure_details ?? PLAIN_WORKFLOW.failureDetails,
      maskCredentials: input.mask_credentials ?? false,
      simulated: input.simulated ?? false,
      versions: null,
      createdWallAt: act.wallAt,
    });
    if (workflow === null) throw unknownOrganization(input.org);
    return { workflow: workflow.id };
  },
});
