import type { LiveEvent } from "../../api/verbs.ts";
import type { Objects } from "../../api/use-names.ts";
import { grouped } from "../../parts/amount.tsx";
import { CredentialLink } from "../../parts/credential-link.tsx";
import { Empty } from "../../parts/empty.tsx";
import { hrefOfObject, ObjectLink, SOURCE_ID } from "../../parts/object-link.tsx";
import { Rejected } from "../../parts/rejected.tsx";
import { ShortId } from "../../parts/short-id.tsx";
import { ShareBar } from "../../parts/share-bar.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Time } from "../../parts/values.tsx";

type Budget = NonNullable<LiveEvent["budgets"]>[number];

interface BudgetsNowProps {
  readonly budgets: LiveEvent["budgets"];
  readonly objects: Objects;
}

/** Budgets: first those that reject calls, then by use, highest first. */
export function BudgetsNow({ budgets, objects }: BudgetsNowProps) {
  if (budgets === null) return <p class="dim">The store does not answer, so the use of budgets is unknown.</p>;
  if (budgets.length === 0)
    return (
      <Empty
        title="There is no budget, so charges are not limited."
        command="datarun budget set --org ORG --per month --amount 500 --currency EUR"
      >
        A budget stops requests before they are sent when it is used up.
      </Empty>
    );
  return (
    <Table
      caption="Budgets: first those that reject calls, then by use"
      columns={columnsWith(objects)}
      rows={budgets}
      keyOf={({ budget }) => budget}
    />
  );
}

function columnsWith(objects: Objects): readonly Column<Budget>[] {
  return [
    { title: "For", show: (budget) => <Scope of={budget} objects={objects} /> },
    {
      title: "Used",
      show: ({ used_percent, nearly_used, used, limit, ...budget }) => (
        <>
          <ShareBar
            known={Math.min(used_percent * 10, 1_000)}
            level={budget.rejects_since !== null ? "full" : nearly_used ? "high" : undefined}
          />
          <span>
            {used_percent} %{" "}
            <span class="dim">
              {grouped(used)} of {grouped(limit)}
            </span>
          </span>
          <Rejected of={budget} />
        </>
      ),
    },
    { title: "Left", isNumber: true, show: ({ left }) => grouped(left) },
    { title: "Until", show: ({ period_to }) => <Time at={period_to} /> },
    {
      title: "Budget",
      show: ({ budget, organization_tuid: org }) => <ShortId id={budget} href={hrefOfObject("budget", budget, org)} />,
    },
  ];
}

function Scope({ of, objects }: { readonly of: Budget; readonly objects: Objects }) {
  const { organization_tuid: org, workflow, source, cred_id: credential } = of;
  const named = credential === null ? undefined : objects.get(credential);
  return (
    <div>
      {[org, workflow, source].map(
        (id) =>
          id !== null && (
            <div key={id}>
              <ObjectLink id={id} org={org} name={id === source ? null : objects.get(id)?.name} />
            </div>
          ),
      )}
      {credential !== null && (
        // A credential without a name is named by its source.
        <CredentialLink id={credential} org={org} name={SOURCE_ID.test(named?.name ?? "") ? null : named?.name} />
      )}
    </div>
  );
}

/** The ids of organizations, workflows and credentials, whose names are shown. */
export function idsOfBudgets(budgets: LiveEvent["budgets"]): readonly (string | null)[] {
  return (budgets ?? []).flatMap(({ organization_tuid: org, workflow, cred_id: credential }) => [
    org,
    workflow,
    credential,
  ]);
}
