import { Type } from "../terms/schema/type.ts";
import type { NamedWorkflow } from "./ports.ts";
import { toWireTime } from "./wire-time.ts";
import { text, time, yesOrNo } from "./result-schemas.ts";

export const wireWorkflow = Type.Object({
  workflow: text,
  name: text,
  disabled: yesOrNo,
  auto_credentials: yesOrNo,
  failure_details: yesOrNo,
  mask_credentials: yesOrNo,
  simulated: yesOrNo,
  created_at: time,
});

/** The settings of a workflow that may change, as inputs of verbs. */
export const workflowSettings = {
  auto_credentials: Type.Optional(
    Type.Boolean({ description: "If no credential is named, use the newest active stored one" }),
  ),
  failure_details: Type.Optional(
    Type.Boolean({
      description:
        "Failed status entries say what kind of failure it was, whether to repeat it, and whether it was charged; on for a new workflow",
    }),
  ),
  mask_credentials: Type.Optional(
    Type.Boolean({ description: "Credentials sent in the request are masked in the answer's config" }),
  ),
};

export function toWireWorkflow(workflow: NamedWorkflow) {
  return {
    workflow: workflow.id,
    name: workflow.name,
    disabled: workflow.disabled,
    auto_credentials: workflow.autoCredentials,
    failure_details: workflow.failureDetails,
    mask_credentials: workflow.maskCredentials,
    simulated: workflow.simulated,
    created_at: toWireTime(workflow.createdWallAt),
  };
}
