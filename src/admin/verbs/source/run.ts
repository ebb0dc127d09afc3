import { Type } from "../../../terms/schema/type.ts";
import { CONTEXTS } from "../../../terms/caller.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json/json.ts";
import { credentialInput, sourceInput, workflowInput } from "../../shared-inputs.ts";
import { requireSource } from "../../require.ts";
import { runAsClient } from "../../run-as-client.ts";
import { anObject, oneOf, orNull, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

/** The status of an answer of `POST /data`. */
const wireStatus = Type.Object({
  success: yesOrNo,
  message: text,
  match: yesOrNo,
  response_time_ms: Type.Number(),
  failure: Type.Optional(
    Type.Object({
      kind: text,
      retryable: yesOrNo,
      charged: oneOf("yes", "no", "unknown"),
      order_id: Type.Optional(text),
      resumable: Type.Optional(yesOrNo),
    }),
  ),
});

export default defineVerb({
  summary: "Call one real source, as a client of a workflow would",
  description:
    "The real vendor is called and may bill, unless the workflow is simulated. The run is in the ledger like any other, under a token that is issued for it and revoked afterwards. It goes through the service that runs on this data directory; if none does, one is started for this command. To read the inputs from a file, use --stdin < FILE. The exit code is 1 if the source failed; no record is not a failure.",
  example: "gleif__lei_record --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --set lei=529900W18LQJJN6SJ336",
  input: {
    source: sourceInput,
    workflow: workflowInput,
    context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the run; dev by default" })),
    credential: Type.Optional(credentialInput),
    inputs: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The inputs" })),
  },
  positional: ["source"],
  role: "operator",
  changes: true,
  needs: ["sources", "store", "service"],

  result: Type.Object({
    transaction_id: orNull(text),
    mode: Type.Optional(text),
    status: orNull(wireStatus),
    output: orNull(anObject),
  }),

  async run({ source: id, workflow, context, credential, inputs = {} }, call) {
    // The service decides about a broken file: a running one may serve the previous version, and a new one does not
    // start.
    const sources = await call.sources();
    if (!sources.isBroken(id)) requireSource(sources, id);
    const entry = credential === undefined ? true : { cred_id: credential };
    const body = { config: { ...(context !== undefined && { context }), sources: { [id]: entry } }, inputs };
    const answer = await runAsClient(call, workflow, `source run ${id}`, (service, access) =>
      service.data(access, body as JsonObject),
    );
    const { status, outputs, transaction_id } = answer;
    const said = isJsonObject(status) ? status[id] : undefined;
    return {
      transaction_id: transaction_id ?? null,
      ...(answer["mode"] === undefined ? {} : { mode: answer["mode"] }),
      status: said ?? null,
      output: (isJsonObject(outputs) ? outputs[id] : undefined) ?? null,
    };
  },

  hasFailed: ({ status }) => !isJsonObject(status) || status["success"] !== true,
  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});
