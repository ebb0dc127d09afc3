import { Type } from "../../../terms/schema/type.ts";
import { CONTEXTS } from "../../../terms/caller.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json/json.ts";
import { sourcesInput, workflowInput } from "../../shared-inputs.ts";
import { runAsClient } from "../../run-as-client.ts";
import { anObject, count, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Call several real sources in one run, as a client of a workflow would",
  description:
    "The real vendors are called and may bill, unless the workflow is simulated; `workflow plan` shows the cost beforehand. The run is in the ledger like any other, under a token that is issued for it and revoked afterwards. It goes through the service that runs on this data directory; if none does, one is started for this command. To read the inputs from a file, use --stdin < FILE. The result is the whole answer, as a client gets it. If the command is interrupted, the run continues: `ledger list` shows how it ended, without the outputs. The exit code is 1 if a source failed; no record is not a failure.",
  example:
    "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --source gleif__lei_record --source eu_vies__vat_number --set lei=529900W18LQJJN6SJ336",
  input: {
    workflow: workflowInput,
    source: { ...sourcesInput, minItems: 1 } as typeof sourcesInput,
    context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the run; dev by default" })),
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: "The inputs; each source gets those that it declares",
      }),
    ),
  },
  positional: ["workflow"],
  role: "operator",
  changes: true,
  needs: ["store", "service"],

  result: Type.Object({
    transaction_id: text,
    config: anObject,
    outputs: anObject,
    status: anObject,
    response_time_ms: count,
  }),

  async run({ workflow, source: ids, context, inputs = {} }, call) {
    const sources = Object.fromEntries(ids.map((id) => [id, true]));
    const body = { config: { ...(context !== undefined && { context }), sources }, inputs };
    return runAsClient(call, workflow, "workflow run", (service, access) => service.data(access, body as JsonObject));
  },

  hasFailed: ({ status }) =>
    isJsonObject(status) && Object.values(status).some((one) => isJsonObject(one) && one["success"] !== true),
  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});
