import type { LiveEvent } from "../../api/verbs.ts";
import type { Objects } from "../../api/use-names.ts";
import { Empty } from "../../parts/empty.tsx";
import { Meter } from "../../parts/meter.tsx";
import { hrefOfObject, ObjectLink } from "../../parts/object-link.tsx";
import { Rejected } from "../../parts/rejected.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Id, Time } from "../../parts/values.tsx";

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
          <Meter
            percent={used_percent}
            isHigh={nearly_used || budget.rejects_since !== null}
            says={`${used} of ${limit}`}
          />
          <Rejected of={budget} />
        </>
      ),
    },
    { title: "Left", isNumber: true, show: ({ left }) => left },
    { title: "Until", show: ({ period_to }) => <Time at={period_to} /> },
    {
      title: "Budget",
      show: ({ budget, organization_tuid: org }) => <Id href={hrefOfObject("budget", budget, org)}>{budget}</Id>,
    },
  ];
}

function Scope({ of, objects }: { readonly of: Budget; readonly objects: Objects }) {
  const { organization_tuid: org, workflow, source, cred_id: credential } = of;
  return (
    <div>
      {[org, workflow, source, credential].map(
        (id) =>
          id !== null && (
            <div key={id}>
              <ObjectLink
                id={id}
                org={org}
                name={id === org || id === workflow ? objects.get(id)?.name : null}
                withId
              />
            </div>
          ),
      )}
    </div>
  );
}

/** The ids of organizations and workflows, whose names are shown. */
export function idsOfBudgets(budgets: LiveEvent["budgets"]): readonly (string | null)[] {
  return (budgets ?? []).flatMap(({ organization_tuid: org, workflow }) => [org, workflow]);
}
