import { Type } from "../../../terms/type.ts";
import { workflowInput } from "../../inputs.ts";
import { unknownWorkflow } from "../../require.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflow, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "Disable a workflow, so that its requests are refused with 401",
  description:
    "A running service refuses it within a second, or within five minutes if its database is unavailable. It can be enabled again.",
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: Type.Object({ workflow: workflowInput }, { additionalProperties: false }),
  positional: ["workflow"],
  role: "operator",
  changes: true,
  revokes: true,
  needs: ["store"],

  result: wireWorkflow,

  async run({ workflow: id }, { act, store }) {
    const workflow = await (await store()).changeWorkflow(act, id, { disabled: true });
    if (workflow === null) throw unknownWorkflow(id);
    return toWireWorkflow(workflow);
  },
});
