import type { ResultOf } from "../../api/verb-types.ts";
import { Button } from "../../parts/button.tsx";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { costWords, type PlannedSource } from "./price-words.ts";
import { chooseSources } from "./run-address.ts";

const RULES: Readonly<Record<string, string>> = {
  named: "named in the request",
  auto: "newest active one",
  default: "the organization's default",
};

/** The plan of a run: for each source the credential and the maximum cost. */
export function PlannedSources({ plan }: { readonly plan: ResultOf<"workflow plan"> }) {
  const { sources, workflow, organization_tuid } = plan;
  const columns: readonly Column<PlannedSource>[] = [
    {
      title: "Source",
      show: ({ source, title, problem }) => (
        <div class="stack-tight">
          <ObjectLink id={source} name={title} withId />
          {problem !== null && <Outcome kind="failed" says={`will not be called: ${problem}`} />}
        </div>
      ),
    },
    {
      title: "Credential",
      show: ({ cred_id, cred_name, rule, needs_credential }) =>
        cred_id === null ? (
          <span class="dim">{workflow.simulated && needs_credential !== "none" ? "simulated" : "none"}</span>
        ) : (
          <div class="stack-tight">
            <CredentialLink id={cred_id} org={organization_tuid} name={cred_name} />
            <span class="dim">{RULES[rule] ?? rule}</span>
          </div>
        ),
    },
    {
      title: "Maximum cost",
      show: (row) => (
        <div class="stack-tight">
          <span class={row.cost === "unknown" ? "run-cost outcome-unknown" : "run-cost"}>
            {costWords(row, workflow.simulated)}
          </span>
          {row.price_from !== null && row.cost === "known" && (
            <span class="dim">{row.price_from === "credential" ? "price of the credential" : "list price"}</span>
          )}
        </div>
      ),
    },
    {
      title: "Leave out",
      show: ({ source }) => (
        <Button
          kind="quiet"
          label={`Leave out ${source}`}
          onClick={() => chooseSources(sources.map((one) => one.source).filter((id) => id !== source))}
        >
          <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
            <path d="M1 1l8 8m0-8l-8 8" stroke="currentColor" stroke-width="1.4" />
          </svg>
        </Button>
      ),
    },
  ];
  return <Table caption="Planned calls" columns={columns} rows={sources} keyOf={({ source }) => source} />;
}
