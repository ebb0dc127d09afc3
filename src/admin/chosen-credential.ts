import type { FoundCredential, RunnableSource } from "../run/ports.ts";
import type { Context, Workflow } from "../terms/caller.ts";
import type { CredentialExplanation, ExplainingFinder } from "./ports.ts";

/** The credential that a source would get in a run, and whether the run could use it. */
export interface ChosenCredential extends Pick<CredentialExplanation, "rule" | "credentialId" | "steps"> {
  /** False if the source would fail without being called. */
  readonly works: boolean;
  /** What is wrong with one of its fields, as a sentence; `null` if nothing is. */
  readonly misfit: string | null;
  /** As the run would have it; `null` if there is none, or it cannot be used. */
  readonly found: FoundCredential | null;
}

interface Asked {
  readonly workflow: Pick<Workflow, "autoCredentials"> & { readonly organizationId: string };
  readonly context: Context;
  readonly region: string;
  /** What the request names. */
  readonly credentialId: string | undefined;
}

/** Chooses as a run of this workflow would. No vendor is called. */
export async function chooseCredentialFor(
  source: RunnableSource,
  { workflow, context, region, credentialId }: Asked,
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
  const { rule, credentialId: chosen, usable, steps } = await finder.explain(request);
  const found = usable ? await finder.find(request) : null;
  const problem = usable ? source.credentialProblem(found?.fields.reveal() ?? {}) : null;
  // If no rule applies, a source that does not require a credential is still called.
  const works = rule === "none" ? source.credentialUse !== "required" : usable && problem === null;
  const misfit = problem === null ? null : `field ${problem.path.slice(1)} ${problem.message}`;
  return { rule, credentialId: chosen, steps, works, misfit, found };
}
