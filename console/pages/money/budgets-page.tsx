import { useState } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useWholeList } from "../../api/use-list.ts";
import { Act } from "../../parts/act.tsx";
import { grouped } from "../../parts/amount.tsx";
import { Button } from "../../parts/button.tsx";
import { Empty } from "../../parts/empty.tsx";
import { List } from "../../parts/list.tsx";
import { thousandths, toMicros } from "../../parts/micros.ts";
import { Outcome } from "../../parts/outcome.tsx";
import { Rejected } from "../../parts/rejected.tsx";
import { RowActs } from "../../parts/row-acts.tsx";
import { ShareBar } from "../../parts/share-bar.tsx";
import type { Column } from "../../parts/table.tsx";
import { Day } from "../../parts/values.tsx";
import { mayUse } from "../../session.ts";
import { BudgetForm } from "./budget-form.tsx";
import { BudgetDetails } from "./budget-details.tsx";
import { type ListedBudget, Scope } from "./budget-scope.tsx";
import { MoneyPage } from "./money-head.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";

/** All budgets with their limits and use. */
export function BudgetsPage() {
  const { query } = address();
  const org = query.get("org") ?? "";
  const named = query.get("budget") || null;
  // All are loaded, because the service lists them by age, and here those that are used most come first.
  const list = useWholeList("budget list", org === "" ? {} : { org }, "budgets");
  const budgets = list.rows?.toSorted(byUse);
  const [shown, setShown] = useState(SHOWN);
  const position = budgets?.findIndex(({ budget }) => budget === named) ?? -1;
  const rows = budgets?.slice(0, Math.max(shown, position + 1));
  const [changing, setChanging] = useState<ListedBudget | "new">();
  /** Incremented when a budget is set, to reload its details. */
  const [sets, setSets] = useState(0);
  const open = budgets?.[position];
  const actions = mayUse("budget set") && (
    <Button kind="primary" onClick={() => setChanging("new")}>
      Set a budget
    </Button>
  );
  return (
    <MoneyPage
      title="Budgets"
      about="A request that exceeds a budget is not sent. Its source fails with a message that names the budget."
      actions={actions}
    >
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <OrganizationField
          value={org}
          none="All"
          onValue={(value) => setQuery({ org: value, budget: null }, { remember: true })}
        />
      </form>
      <List
        caption="Budgets: first those that reject calls, then by use"
        columns={columnsOf(list.reload, setChanging)}
        keyOf={({ budget }) => budget}
        current={open?.budget}
        empty={
          <Empty
            title="There is no budget, so charges are not limited."
            command={`datarun budget set --org ${org || "ORG"} --per month --amount 500 --currency EUR`}
          >
            An owner can set a budget for an organization, or for a workflow, source or credential of it.
          </Empty>
        }
        {...list}
        rows={rows}
        missing={named !== null && list.isCurrent && !list.isLoading && position === -1 ? named : undefined}
        more={budgets !== undefined && budgets.length > rows!.length ? () => setShown(shown + SHOWN) : null}
      />
      {open && <BudgetDetails key={sets} id={open.budget} />}
      {changing && (
        <BudgetForm
          budget={changing === "new" ? null : changing}
          org={org}
          onClose={() => setChanging(undefined)}
          onSet={() => {
            setChanging(undefined);
            setSets((before) => before + 1);
            list.reload();
          }}
        />
      )}
    </MoneyPage>
  );
}

/** As many as a page of other lists. */
const SHOWN = 100;

/** Budgets that reject calls come first, then those of which the largest part is used. */
function byUse(one: ListedBudget, other: ListedBudget): number {
  const rejects = ({ rejects_since: since }: ListedBudget) => Number(since !== null);
  const share = ({ used, leased, limit }: ListedBudget) =>
    Number(((toMicros(used) + toMicros(leased)) * 10_000n) / toMicros(limit));
  return rejects(other) - rejects(one) || share(other) - share(one) || (one.budget < other.budget ? -1 : 1);
}

function columnsOf(reload: () => void, change: (budget: ListedBudget) => void): readonly Column<ListedBudget>[] {
  const columns: readonly Column<ListedBudget>[] = [
    { title: "For", isName: true, show: (budget) => <Scope of={budget} /> },
    {
      title: "Limit",
      isNumber: true,
      show: ({ limit, per, time_zone: zone, counts_from: counts, period_from: from }) => (
        <>
          {grouped(limit)}{" "}
          <span class="dim money-below">
            a {per} ({zone})
          </span>
          {counts > from && (
            <span class="dim money-below">
              counts since <Day at={counts} />
            </span>
          )}
        </>
      ),
    },
    {
      title: "Used",
      isNumber: true,
      show: ({ used, leased }) => (
        <>
          {grouped(used)} {toMicros(leased) > 0n && <span class="dim money-below">{grouped(leased)} reserved</span>}
        </>
      ),
    },
    { title: "Use", show: (budget) => <Use of={budget} /> },
    {
      title: "Left",
      isNumber: true,
      show: ({ left, period_to: at, time_zone: zone }) => (
        <>
          {grouped(left)}{" "}
          <span class="dim money-below">
            until <Day at={at} zone={zone} />
          </span>
        </>
      ),
    },
    {
      title: "Budget",
      show: ({ budget }) => (
        <a href={hrefOf("/money/budgets", { org: address().query.get("org"), budget })}>
          Details<span class="visually-hidden"> of {budget}</span>
        </a>
      ),
    },
  ];
  if (!mayUse("budget set")) return columns;
  return [...columns, { title: "Actions", show: (budget) => <Acts of={budget} reload={reload} change={change} /> }];
}

function Use({
  of: { used, leased, limit, left, warn_percent: warn, nearly_used: isNearlyUsed, ...budget },
}: {
  readonly of: ListedBudget;
}) {
  const known = thousandths(used, limit);
  const open = Math.min(known + thousandths(leased, limit), 1_000);
  const isFull = budget.rejects_since !== null || /^-?0(\.0+)?( |$)/.test(left) || left.startsWith("-");
  return (
    <>
      <ShareBar
        known={known}
        open={open}
        mark={warn * 10}
        level={isFull ? "full" : isNearlyUsed ? "high" : undefined}
      />
      {budget.rejects_since !== null ? (
        <Rejected of={budget} />
      ) : isFull ? (
        <Outcome kind="failed" says="used up" />
      ) : isNearlyUsed ? (
        <Outcome kind="unknown" says={`above ${warn} %`} />
      ) : null}
    </>
  );
}

function Acts({
  of,
  reload,
  change,
}: {
  readonly of: ListedBudget;
  readonly reload: () => void;
  readonly change: (budget: ListedBudget) => void;
}) {
  return (
    <RowActs>
      <Button onClick={() => change(of)}>Change</Button>
      <Act
        verb="budget remove"
        input={{ budget: of.budget }}
        label="Remove"
        isDangerous
        asks={{
          title: "Remove this budget?",
          says: (
            <>
              <p>
                Charges of <bdi>{of.organization ?? of.organization_tuid}</bdi> are no longer limited to{" "}
                {grouped(of.limit)} per {of.per}. The use counted so far is deleted.
              </p>
              <p class="dim">
                Running services stop applying it within a second. The audit trail records who removed it.
              </p>
            </>
          ),
        }}
        onDone={reload}
      />
    </RowActs>
  );
}
