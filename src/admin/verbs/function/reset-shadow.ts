import { Type } from "../../../terms/schema/type.ts";
import { functionInput, workflowInput } from "../../shared-inputs.ts";
import { count } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Remove the results of a function's shadow runs",
  description: "Comparison continues and counts from zero. `workflow set --shadow FUNCTION=off` ends it.",
  example: "dfunc_contact_check --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { function: functionInput, workflow: Type.Optional(workflowInput) },
  positional: ["function"],
  role: "operator",
  changes: true,
  needs: ["store"],

  result: Type.Object({ removed: { ...count, description: "How many candidates had results" } }),

  async run({ function: id, workflow }, { act, store }) {
    return { removed: (await (await store()).resetShadowResults(act, id, workflow)) ?? 0 };
  },
});
