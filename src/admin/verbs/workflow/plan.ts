import { Type } from "../../../terms/schema/type.ts";
import { CONTEXTS, type Context } from "../../../terms/caller.ts";
import type { JsonObject } from "../../../terms/json/json.ts";
import { amountText } from "../../../terms/money/money.ts";
import { sourcesInput, workflowInput } from "../../shared-inputs.ts";
import type { NamedWorkflow } from "../../ports.ts";
import { planOfOff, planOfUnknown, planOfUnusable, planSource, wirePlannedSource } from "../../plan-source.ts";
import { sumOf } from "../../planned-cost.ts";
import { requireWorkflow } from "../../require.ts";
import type { VerbCall } from "../../needs.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { listOf, orNull, rowsOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";
import { toWireWorkflow, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "Show what a run would do, without calling a vendor",
  description:
    "For each source: whether it would accept the inputs, which credential it would get and by which rule, and what it costs at most. The cost is that of one request that the vendor bills, by the price of the credential or else the list price of the source; a source that sends several billed requests may cost several times that. A source that the workflow pins to a version is planned with that version, and one with a canary with the loaded version. A simulated workflow costs nothing and needs no credential. Without --set and --stdin the inputs are not checked. No vendor is called, and nothing is recorded.",
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --source gleif__lei_record --set lei=529900W18LQJJN6SJ336",
  input: {
    workflow: workflowInput,
    source: Type.Optional(sourcesInput),
    context: Type.Optional(Type.Enum([...CONTEXTS], { description: "The context of the run; dev by default" })),
    inputs: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "The inputs" })),
  },
  positional: ["workflow"],
  role: "viewer",
  changes: false,
  needs: ["store", "sources", "storedVersions", "finder", "region"],

  result: Type.Object({
    workflow: wireWorkflow,
    organization_tuid: text,
    organization: text,
    context: text,
    problem: orNull(text),
    at_most: rowsOf({ amount: text, currency: text }),
    unknown_cost: listOf(text),
    sources: listOf(wirePlannedSource),
  }),

  async run({ workflow: id, source: ids = [], context = "dev", inputs }, call) {
    const store = await call.store();
    const workflow = await requireWorkflow(store, id);
    const organization = await store.organization(workflow.organizationId);
    const listing = await call.sources();
    const asked = { workflow, context, inputs: inputs as JsonObject | undefined };
    const rows = await Promise.all(
      ids.map(async (source) => {
        const found = listing.find(source);
        if (found === undefined) return planOfUnknown(source);
        if (!listing.placeOf(source)!.isOn) return planOfOff(found);
        const used = await pinnedSource(found, workflow, call);
        return typeof used === "string" ? planOfUnusable(found, used) : planSource(used, asked, call);
      }),
    );
    const names = await store.credentialNames(rows.map(({ cred_id: credential }) => credential));
    return {
      workflow: await toWireWorkflow(workflow, store),
      organization_tuid: workflow.organizationId,
      organization: organization?.name ?? "",
      context,
      problem: problemOf(workflow, organization?.disabled === true, context),
      at_most: sumOf(rows.map(({ price }) => price)),
      unknown_cost: rows.filter(({ cost }) => cost === "unknown").map(({ source }) => source),
      sources: rows.map(({ price, ...row }) => ({
        ...row,
        cred_name: names.get(row.cred_id ?? "") ?? null,
        at_most: price === null ? null : amountText(price.amount),
        currency: price?.currency ?? null,
      })),
    };
  },

  render: (result) => `${JSON.stringify(result, null, 2)}\n`,
});

/** The version that the workflow pins a source to, or the reason why runs cannot use it. */
async function pinnedSource(
  loaded: RunnableSource,
  { versions }: NamedWorkflow,
  call: VerbCall<"storedVersions">,
): Promise<RunnableSource | string> {
  const share = versions !== null && Object.hasOwn(versions.sources, loaded.id) ? versions.sources[loaded.id]! : null;
  if (share === null || share.percent < 100 || share.version === loaded.version) return loaded;
  try {
    return await (await call.storedVersions()).trySource(loaded, share.version);
  } catch (error) {
    if (error instanceof OperatorError) return error.message;
    throw error;
  }
}

/** Why no source can be called. */
function problemOf({ disabled, simulated }: NamedWorkflow, isOff: boolean, context: Context): string | null {
  if (disabled) return "The workflow is disabled.";
  if (isOff) return "The organization is disabled.";
  if (simulated && context === "prod") return "The workflow is simulated, and refuses the context prod.";
  return null;
}
