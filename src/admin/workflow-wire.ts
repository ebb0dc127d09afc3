import { Type } from "../terms/type.ts";
import type { NamedWorkflow } from "./ports.ts";
import { toWireTime } from "./wire-time.ts";

/** The settings of a workflow that may change in its life, as verbs take them. */
export const workflowSettings = {
  auto_credentials: Type.Optional(
    Type.Boolean({ description: "A stored credential may be chosen without being named: the newest active one" }),
  ),
  failure_details: Type.Optional(
    Type.Boolean({ description: "Failed status entries say what kind of failure it was and whether it was charged" }),
  ),
  mask_credentials: Type.Optional(
    Type.Boolean({ description: "Credentials sent inline come back masked in the answer's config" }),
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
