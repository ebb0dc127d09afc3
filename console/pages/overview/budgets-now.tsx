import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import { Empty } from "../../parts/empty.tsx";
import { Meter } from "../../parts/meter.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { Id, Time } from "../../parts/values.tsx";

type Budget = NonNullable<LiveEvent["budgets"]>[number];

const COLUMNS: readonly Column<Budget>[] = [
  { title: "Budget", show: ({ budget }) => <Id href={hrefOf("/money", { budget })}>{budget}</Id> },
  { title: "Of", show: scopeOf },
  { title: "Used", show: ({ used_percent, nearly_used, used, limit }) => <Meter percent={used_percent} isHigh={nearly_used} says={`${used} of ${limit}`} /> },
  { title: "Left", isNumber: true, show: ({ left }) => left },
  { title: "Until", show: ({ period_to }) => <Time at={period_to} /> },
]; // prettier-ignore

/** What is spent of each budget, the fullest first. */
export function BudgetsNow({ budgets }: { readonly budgets: LiveEvent["budgets"] }) {
  if (budgets === null) return <p class="dim">The store does not answer, so what is used is not known.</p>;
  if (budgets.length === 0)
    return (
      <Empty
        title="Nothing limits what may be spent."
        command="datarun budget set --org ORG --per month --amount 500 --currency EUR"
      >
        A budget stops requests before they are sent, once it is used up.
      </Empty>
    );
  return <Table caption="Budgets, the fullest first" columns={COLUMNS} rows={budgets} keyOf={({ budget }) => budget} />;
}

function scopeOf({ organization_tuid, workflow, source, cred_id }: Budget) {
  return [organization_tuid, workflow, source, cred_id].filter((part) => part !== null).map((part) => <Id key={part}>{part}</Id>); // prettier-ignore
}
