import { Type } from "../../../terms/schema/type.ts";
import { givenOf, nameInput, workflowInput } from "../../shared-inputs.ts";
import type { WorkflowChange } from "../../ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { requireWorkflow, unknownWorkflow } from "../../require.ts";
import { defineVerb } from "../../verb.ts";
import { functionVersionsInput, shadowInputs, sourceVersionsInput, toVersionsChange } from "../../workflow-versions.ts";
import { toWireWorkflow, workflowSettings, wireWorkflow } from "../../workflow-wire.ts";

export default defineVerb({
  summary: "Change settings of a workflow",
  description:
    "Settings that are not given stay as they are. Whether a workflow is simulated cannot be changed. --function and --source name the version of a function or a source for this workflow; services use it without a restart. Each version is loaded first, and refused with the reason if runs could not use it: then nothing is changed. --shadow compares a version with the results of this workflow's runs, after they were answered, and changes no answer. A source in TypeScript can be kept at the version that is loaded, not set to another one.",
  example: "wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --mask-credentials --function dfunc_contact_check=12@10%",
  input: {
    workflow: workflowInput,
    name: Type.Optional(nameInput("What the workflow is for")),
    ...workflowSettings,
    function: functionVersionsInput,
    source: sourceVersionsInput,
    ...shadowInputs,
  },
  positional: ["workflow"],
  role: "operator",
  changes: true,
  needs: ["store", "sources", "functions", "storedVersions"],

  result: wireWorkflow,
  nothing: { versions: "It uses the loaded versions." },

  async run({ workflow: id, ...settings }, call) {
    const store = await call.store();
    const { function: functions, source: sources, shadow } = settings;
    if (settings.shadow_sample !== undefined && shadow === undefined)
      throw new OperatorError("usage", "--shadow-sample needs --shadow ID=VERSION.");
    const namesVersions = functions !== undefined || sources !== undefined || shadow !== undefined;
    const versions = namesVersions
      ? await toVersionsChange(await requireWorkflow(store, id), settings, call)
      : undefined;
    const change: WorkflowChange = givenOf({
      name: settings.name,
      autoCredentials: settings.auto_credentials,
      failureDetails: settings.failure_details,
      maskCredentials: settings.mask_credentials,
      versions,
    });
    if (Object.keys(change).length === 0) throw new OperatorError("usage", "Give at least one setting to change.");
    const workflow = await store.changeWorkflow(call.act, id, change);
    if (workflow === null) throw unknownWorkflow(id);
    return toWireWorkflow(workflow, store);
  },
});
