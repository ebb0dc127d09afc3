import { Type } from "../../../terms/schema/type.ts";
import type { RunnableSource } from "../../../run/ports.ts";
import type { SourceCall } from "../../../sdk/source.ts";
import { askVendor, liveCallParts } from "../../authoring/ask-vendor.ts";
import { contextInput, credentialInput } from "../../shared-inputs.ts";
import type { LiveAnswer } from "../../authoring/ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { requireCredential, requireSource } from "../../require.ts";
import { toWireReference, wireReference } from "../../credential-wire.ts";
import { listOf, oneOf, text } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Ask the vendor whether a stored credential is good",
  description:
    "Makes the cheap call that the source declares for this (`verify`). The verdict is good, rejected, or could not tell, for example if the vendor cannot be reached. The call is recorded in the audit trail. The exit code is 1 unless the credential is good.",
  example: "cred_0192f0c1a2b34c5d8e9f0a1b2c3d4e5f",
  input: {
    cred_id: credentialInput,
    context: Type.Optional(
      Type.Enum(contextInput.enum, {
        description: "The context; by default the first in which the credential may be used",
      }),
    ),
  },
  positional: ["cred_id"],
  role: "operator",
  changes: true,
  needs: ["store", "sources", "finder", "authoring", "region"],

  result: Type.Object({
    cred_id: text,
    source: text,
    verdict: oneOf("good", "rejected", "could not tell"),
    reason: text,
    references: Type.Optional(listOf(wireReference)),
  }),

  async run({ cred_id: id, context }, call) {
    const credential = await requireCredential(await call.store(), id);
    const source = requireSource(await call.sources(), credential.source);
    const asked = {
      organizationId: credential.organizationId,
      source: source.id,
      context: context ?? credential.contexts[0] ?? "dev",
      region: call.region(),
      inline: undefined,
      credentialId: id,
      autoSelect: false,
    };
    const readReferences = async () => {
      const { references } = await (await call.finder()).explain(asked);
      return references.length > 0 && { references: references.map(toWireReference) };
    };
    if (source.declaration.verify === undefined) {
      return {
        cred_id: id,
        source: source.id,
        verdict: "could not tell",
        reason: "the source declares no call that checks a credential",
        ...(await readReferences()),
      };
    }
    if (credential.disabled)
      throw new OperatorError("refused", `${id} is disabled. "datarun credential enable ${id}" enables it.`);
    const answer = await askVendor(
      {
        source: proving(source),
        inputs: {},
        context: asked.context,
        credential: id,
        purpose: { verifies: id },
      },
      liveCallParts(call, { org: credential.organizationId, credential: id }),
    );
    return { cred_id: id, source: source.id, ...verdictOf(answer), ...(await readReferences()) };
  },

  hasFailed: (result) => result["verdict"] !== "good",
});

/** The source with its `verify` in place of its `run`: without inputs, and free by its author's declaration. */
function proving(source: RunnableSource): RunnableSource {
  const { declaration } = source;
  const run = async (call: SourceCall) => ((await declaration.verify!(call)) ? {} : null);
  return {
    ...source,
    declaration: { ...declaration, run },
    charge: "free",
    filter: () => ({}),
    inputProblem: () => null,
  };
}

function verdictOf({ report, output }: LiveAnswer): { verdict: string; reason: string } {
  if (output !== null) {
    return report.match
      ? { verdict: "good", reason: "the vendor accepts it" }
      : { verdict: "rejected", reason: "the vendor's reply says that it is not good" };
  }
  const fault = report.fault!;
  const verdict = fault.code === "source.credential_rejected" ? "rejected" : "could not tell";
  return { verdict, reason: fault.says.replace(/^[^:]*: /, "") };
}
