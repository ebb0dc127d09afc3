import { disableAndEnable } from "../../disable-and-enable.ts";
import { workflowInput } from "../../shared-inputs.ts";
import { unknownWorkflow } from "../../require.ts";
import { toWireWorkflow, wireWorkflow } from "../../workflow-wire.ts";

const verbs = disableAndEnable({
  name: "workflow",
  id: workflowInput,
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  disable: {
    summary: "Disable a workflow, so that its requests are refused with 401",
    description:
      "A running service refuses it within a second, or within five minutes if its database is unavailable. It can be enabled again.",
  },
  enable: { summary: "Enable a workflow that was disabled" },
  result: wireWorkflow,
  set: (store, act, id, disabled) => store.changeWorkflow(act, id, { disabled }),
  toWire: toWireWorkflow,
  unknown: unknownWorkflow,
});

export default verbs.disable;
export const { enable } = verbs;
