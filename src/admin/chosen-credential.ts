import type { ResolvedCredential, RunnableSource } from "../run/ports.ts";
import type { Context, Workflow } from "../terms/caller.ts";
import type { CredentialExplanation, ExplainingFinder } from "./ports.ts";

/** The credential that a run would choose for a source, and whether the run could use it. */
export interface ChosenCredential extends Pick<
  CredentialExplanation,
  "rule" | "credentialId" | "steps" | "references"
> {
  /** `false` if the source would fail without a call. */
  readonly works: boolean;
  /** A sentence about an invalid field; `null` if all are valid. */
  readonly misfit: string | null;
  /** The credential as the run would use it; `null` if there is none or it cannot be used. */
  readonly found: ResolvedCredential | null;
}

interface CredentialQuestion {
  readonly workflow: Pick<Workflow, "autoCredentials"> & { readonly organizationId: string };
  readonly context: Context;
  readonly region: string;
  /** The credential that the request names. */
  readonly credentialId: string | undefined;
}

/** Chooses a credential as a run of this workflow would, without calling a vendor. */
export async function chooseCredentialFor(
  source: RunnableSource,
  { workflow, context, region, credentialId }: CredentialQuestion,
  finder: ExplainingFinder,
): Promise<ChosenCredential> {
  const request = {
    organizationId: workflow.organizationId,
    source: source.id,
    context,
    region,
    inline: undefined,
    credentialId,
    autoSelect: workflow.autoCredentials,
  };
  const { rule, credentialId: chosen, usable, steps, references } = await finder.explain(request);
  const found = usable ? await finder.find(request) : null;
  const problem = usable ? source.credentialProblem(found?.fields.reveal() ?? {}) : null;
  // If no rule applies, a source that does not require a credential is still called.
  const works = rule === "none" ? source.credentialUse !== "required" : usable && problem === null;
  const misfit = problem === null ? null : `field ${problem.path.slice(1)} ${problem.message}`;
  return { rule, credentialId: chosen, steps, references, works, misfit, found };
}
