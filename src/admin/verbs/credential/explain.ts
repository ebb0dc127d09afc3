import { Type } from "../../../terms/schema/type.ts";
import { chooseCredentialFor } from "../../chosen-credential.ts";
import { toWireReference, wireReference } from "../../credential-wire.ts";
import { contextInput, sourceInput, workflowInput } from "../../shared-inputs.ts";
import { requireSource, requireWorkflow } from "../../require.ts";
import { listOf, oneOf, orNull, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Show which credential a run would use, and why",
  description:
    "Applies the rules in their order, as a run of this workflow would: fields sent inline, the credential named, the one selected automatically, the organization's default. No vendor is called; a value that is kept elsewhere is read if that is due. To check whether the vendor accepts the credential, use `credential verify`.",
  example: "--workflow wfl_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f --source companies_house__company_profile --context prod",
  input: {
    workflow: workflowInput,
    source: sourceInput,
    cred_id: Type.Optional(Type.String({ maxLength: 128, description: "The cred_id that the request names" })),
    context: Type.Optional(Type.Enum(contextInput.enum, { description: "The context of the run; dev by default" })),
  },
  role: "viewer",
  changes: false,
  needs: ["store", "sources", "finder", "region"],

  result: Type.Object({
    source: text,
    needs_credential: oneOf("none", "optional", "required"),
    context: text,
    rule: text,
    cred_id: orNull(text),
    cred_name: orNull(text),
    usable: yesOrNo,
    problem: orNull(text),
    references: listOf(wireReference),
    steps: rowsOf({ rule: text, verdict: text, cred_id: orNull(text), cred_name: orNull(text), reason: text }),
  }),

  nothing: { references: "" },

  async run({ workflow: id, source: sourceId, cred_id, context = "dev" }, { store, sources, finder, region, note }) {
    const source = requireSource(await sources(), sourceId);
    const open = await store();
    const workflow = await requireWorkflow(open, id);
    const asked = { workflow, context, region: region(), credentialId: cred_id };
    const { rule, credentialId, steps, references, works, misfit } = await chooseCredentialFor(
      source,
      asked,
      await finder(),
    );
    if (works && credentialId !== null && source.declaration.verify !== undefined)
      note(`To check whether the vendor accepts it: datarun credential verify ${credentialId}`);
    if (!works && credentialId === null)
      note(
        `No rule gives it a credential, so a run would fail. To store one: datarun credential create --org ${workflow.organizationId} --source ${source.id} --default`,
      );
    const names = await open.credentialNames([credentialId, ...steps.map((step) => step.credentialId)]);
    return {
      source: source.id,
      needs_credential: source.credentialUse,
      context,
      rule,
      cred_id: credentialId,
      cred_name: names.get(credentialId ?? "") ?? null,
      usable: works,
      problem: misfit,
      references: references.map(toWireReference),
      steps: steps.map((step) => ({
        rule: step.rule,
        verdict: step.verdict,
        cred_id: step.credentialId,
        cred_name: names.get(step.credentialId ?? "") ?? null,
        reason: step.reason,
      })),
    };
  },
});
