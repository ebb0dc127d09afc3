import type { RowOf } from "../../api/verb-types.ts";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";

export type ListedBudget = RowOf<"budget list", "budgets">;

/** The scope of a budget, in words and links. */
export function Scope({ of }: { readonly of: ListedBudget }) {
  const { organization_tuid: org, workflow, source, cred_id: credential } = of;
  return (
    <div class="money-scope">
      <ObjectLink id={org} name={of.organization} />
      {workflow && <ObjectLink id={workflow} org={org} name={of.workflow_name} />}
      {source && (
        <div>
          <ObjectLink id={source} />
        </div>
      )}
      {credential && (
        <div>
          <CredentialLink id={credential} org={org} name={of.cred_name} />
        </div>
      )}
    </div>
  );
}
