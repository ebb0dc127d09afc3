import { Type } from "typebox";
import { makeAccessToken, tokenDigest } from "../../../access/access-token.ts";
import { CONTEXTS } from "../../../terms/caller.ts";
import { newId } from "../../../terms/ids.ts";
import { isJsonObject, type JsonObject } from "../../../terms/json.ts";
import { functionInput, workflowInput } from "../../inputs.ts";
import { OperatorError, type AdminStore, type NamedWorkflow } from "../../ports.ts";
import { requireWorkflow } from "../../require.ts";
import { defineVerb, type VerbCall } from "../../verb.ts";

/** Long enough for the longest function. */
const TOKEN_MS = 5 * 60_000;

export default defineVerb({
  summary: "Run a function for real, as a client of a workflow would",
  description:
    "It asks real vendors, which may bill: the run is on the ledger like any other, under a token that is issued for it and revoked after it. It runs in the service of this data directory; where none runs, one is started for it. Inputs in a file come in by --stdin < FILE. With --request standard input is a whole request ({config, inputs, …}) and not its inputs alone.",
  example: "dfunc_contact_check --workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --set phone=+442079460958",
  input: Type.Object(
    {
      function: functionInput,
      workflow: workflowInput,
      context: Type.Optional(
        Type.Enum([...CONTEXTS], { description: "The context of the run; the request's own, or dev, unless given" }),
      ),
      inputs: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), { description: "The inputs, or with --request the whole request" }),
      ),
      request: Type.Optional(Type.Boolean({ description: "What is given is a whole request" })),
    },
    { additionalProperties: false },
  ),
  positional: ["function"],
  changes: true,

  async run({ function: id, workflow: workflowId, context, inputs = {}, request = false }, call) {
    const store = await call.store();
    const workflow = await requireWorkflow(store, workflowId);
    if (workflow.disabled) throw new OperatorError("refused", "The workflow is disabled.");
    const service = await call.service();
    const given = inputs as JsonObject;
    const config = request && isJsonObject(given["config"]) ? given["config"] : {};
    const body = {
      ...(request ? given : { inputs: given }),
      config: { ...config, ...(context !== undefined && { context }), data_func: id },
    };
    return withToken(store, workflow, id, call, (accessToken) =>
      service.func({ accessToken, workflow: workflow.id }, body as JsonObject),
    );
  },

  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});

/** The trail of acts joins the run to the operator: it holds the token, and the ledger the token's id. */
async function withToken<Result>(
  store: AdminStore,
  workflow: NamedWorkflow,
  functionId: string,
  { act }: VerbCall,
  use: (accessToken: string) => Promise<Result>,
): Promise<Result> {
  const accessToken = makeAccessToken();
  const id = newId("token", act.wallAt);
  await store.createToken(act, {
    id,
    organizationId: workflow.organizationId,
    name: `function run ${functionId}`.slice(0, 200),
    digest: tokenDigest(accessToken),
    createdWallAt: act.wallAt,
    expiresWallAt: act.wallAt + TOKEN_MS,
  });
  try {
    return await use(accessToken);
  } finally {
    await store.revokeToken(act, { id });
  }
}
