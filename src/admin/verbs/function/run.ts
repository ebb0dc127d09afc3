import { Type } from "../../../terms/schema/type.ts";
import { CONTEXTS } from "../../../terms/caller.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json/json.ts";
import { functionInput, workflowInput } from "../../shared-inputs.ts";
import { requireFunction } from "../../require.ts";
import { runAsClient } from "../../run-as-client.ts";
import { anObject } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Run a function with real calls, as a client of a workflow would",
  description:
    "Real vendors are called and may bill. The run is in the ledger like any other, under a token that is issued for it and revoked afterwards. It goes through the service that runs on this data directory; if none does, one is started for this command. To read the inputs from a file, use --stdin < FILE. With --request, standard input is a whole request ({config, inputs, …}) instead of its inputs. The exit code is 1 if the function failed, which an answer in passthrough mode does not show.",
  example: "dfunc_contact_check --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --set phone=+442079460958",
  input: {
    function: functionInput,
    workflow: workflowInput,
    context: Type.Optional(
      Type.Enum([...CONTEXTS], { description: "The context of the run; by default the request's own, or dev" }),
    ),
    inputs: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), { description: "The inputs, or with --request the whole request" }),
    ),
    request: Type.Optional(Type.Boolean({ description: "A whole request is given, not only its inputs" })),
  },
  positional: ["function"],
  role: "operator",
  changes: true,
  needs: ["functions", "store", "service"],

  result: anObject,

  async run({ function: id, workflow, context, inputs = {}, request = false }, call) {
    // The service decides about a broken file: a running one may serve the previous version, and a new one does not
    // start.
    const functions = await call.functions();
    if (!functions.isBroken(id)) requireFunction(functions, id);
    const given = inputs as JsonObject;
    const config = request && isJsonObject(given["config"]) ? given["config"] : {};
    const body = {
      ...(request ? given : { inputs: given }),
      config: { ...config, ...(context !== undefined && { context }), data_func: id },
    };
    return runAsClient(call, workflow, `function run ${id}`, (service, access) =>
      service.func(access, body as JsonObject),
    );
  },

  // In passthrough mode the whole answer is the function's own, so a failure is not visible.
  hasFailed: ({ status }) => isJsonObject(status) && Object.values(status).some(isFailure),
  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});

function isFailure(status: unknown): boolean {
  return isJsonObject(status) && status["success"] === false;
}
