import { Type } from "../../../terms/schema/type.ts";
import { functionInput, workflowInput } from "../../shared-inputs.ts";
import type { ShadowResult } from "../../ports.ts";
import { type NumberOf, numbersOf } from "../../recorded-versions.ts";
import { count, listOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

const verdicts = {
  same: count,
  different: count,
  missing: { ...count, description: "Only the answer has the field" },
  added: { ...count, description: "Only the candidate's output has the field" },
  failed: { ...count, description: "The candidate failed, and the function of the run did not, or in another way" },
  unrecorded: { ...count, description: "The candidate made a call that the run did not make" },
};

const candidate = { workflow: text, version: orNull(count), digest: text };

export default defineVerb({
  summary: "Compare a function with the candidate of its shadow runs",
  description:
    "`workflow set --shadow` names the candidate. It runs after the answer on the recorded outcomes of the run's calls, and sends nothing to vendors. Inputs and outputs are not stored, only these counts and the ids of the newest runs that differ. Fields that neither version declares in its `output` count together as *. A run with an unrecorded call says nothing about the candidate's result. Counts are added to earlier ones until `function reset-shadow` removes them.",
  example: "dfunc_contact_check --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: { function: functionInput, workflow: Type.Optional(workflowInput) },
  positional: ["function"],
  role: "viewer",
  changes: false,
  needs: ["store"],

  result: Type.Object({
    candidates: rowsOf({ ...candidate, compared: count, ...verdicts }),
    fields: rowsOf({ ...candidate, field: text, ...verdicts }),
    differing: {
      ...rowsOf({ transaction_id: text, ...candidate, fields: listOf(text) }),
      description: "The newest runs that are not the same; without fields if only the result as a whole differs",
    },
  }),

  async run({ function: id, workflow }, { store }) {
    const results = await (await store()).shadowResults(id, workflow);
    const numberOf = await numbersOf(
      store,
      results.map(({ version }) => version),
    );
    return {
      candidates: results
        .filter(({ field }) => field === "")
        .map((result) => ({
          ...candidateOf(result, numberOf),
          compared: Object.values(result.counts).reduce((sum, each) => sum + each, 0),
          ...result.counts,
        })),
      fields: results
        .filter(({ field }) => field !== "")
        .map((result) => ({ ...candidateOf(result, numberOf), field: result.field, ...result.counts })),
      differing: differingRuns(results, numberOf),
    };
  },

  columns: {
    candidates: ["workflow", "version", "compared", ...Object.keys(verdicts)],
    fields: ["workflow", "version", "field", ...Object.keys(verdicts)],
    differing: ["transaction_id", "workflow", "version", "fields"],
  },
  nothing: {
    candidates: "No run was compared.",
    fields: "No field was compared.",
    differing: "No run differs.",
  },
});

function candidateOf({ workflowId, functionId, version }: ShadowResult, numberOf: NumberOf) {
  return { workflow: workflowId, version: numberOf("function", functionId, version), digest: version };
}

function differingRuns(results: readonly ShadowResult[], numberOf: NumberOf) {
  return results
    .filter(({ field }) => field === "")
    .flatMap((whole) => {
      const fields = results.filter(
        ({ workflowId, version, field }) =>
          field !== "" && workflowId === whole.workflowId && version === whole.version,
      );
      return whole.transactionIds.map((id) => ({
        transaction_id: id,
        ...candidateOf(whole, numberOf),
        fields: fields.filter(({ transactionIds }) => transactionIds.includes(id)).map(({ field }) => field),
      }));
    });
}
