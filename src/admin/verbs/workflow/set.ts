import { Type } from "../../../terms/schema/type.ts";
import { nameInput, workflowInput } from "../../inputs.ts";
import type { WorkflowChange } from "../../ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { unknownWorkflow } from "../../require.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflow, workflowSettings, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "Change settings of a workflow",
  description: "Settings that are not given stay as they are. Whether a workflow is simulated cannot be changed.",
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --mask-credentials --no-auto-credentials",
  input: Type.Object(
    { workflow: workflowInput, name: Type.Optional(nameInput("What the workflow is for")), ...workflowSettings },
    { additionalProperties: false },
  ),
  positional: ["workflow"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: wireWorkflow,

  async run({ workflow: id, ...settings }, { act, store }) {
    const change: WorkflowChange = {
      ...(settings.name !== undefined && { name: settings.name }),
      ...(settings.auto_credentials !== undefined && { autoCredentials: settings.auto_credentials }),
      ...(settings.failure_details !== undefined && { failureDetails: settings.failure_details }),
      ...(settings.mask_credentials !== undefined && { maskCredentials: settings.mask_credentials }),
    };
    if (Object.keys(change).length === 0) throw new OperatorError("usage", "Give at least one setting to change.");
    const workflow = await (await store()).changeWorkflow(act, id, change);
    if (workflow === null) throw unknownWorkflow(id);
    return toWireWorkflow(workflow);
  },
});
