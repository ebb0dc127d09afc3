import { useState } from "preact/hooks";
import { address, navigate, hrefOf, setQuery } from "../../address.ts";
import { useHistory, type History } from "../../api/use-history.ts";
import { type ListState, useList } from "../../api/use-list.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { FailedCount } from "../../parts/activity.tsx";
import { Amount } from "../../parts/amount.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { TextField } from "../../parts/fields.tsx";
import { FormAct } from "../../parts/form-act.tsx";
import { failedOf } from "../../parts/history/history-sums.ts";
import { List } from "../../parts/list.tsx";
import { Named } from "../../parts/named.tsx";
import { ActiveState } from "../../parts/outcome.tsx";
import type { Column } from "../../parts/table.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { Count, Day } from "../../parts/values.tsx";

type Organization = RowOf<"org list", "organizations">;

interface OrganizationListProps {
  /** The link of each. */
  readonly hrefOfOne: (id: string) => string;
  /** Whether the calls and the cost of each are shown. */
  readonly withActivity?: boolean;
}

/** All organizations, newest first, or those that match a search. */
export function OrganizationList({ hrefOfOne, withActivity = false }: OrganizationListProps) {
  const find = address().query.get("find") ?? "";
  return (
    <>
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Find an organization"
          hint="By name, or by the beginning of the id."
          type="search"
          value={find}
          onValue={(value) => setQuery({ find: value })}
        />
      </form>
      {find.trim() !== "" ? (
        <Found text={find} hrefOfOne={hrefOfOne} />
      ) : withActivity ? (
        <Active hrefOfOne={hrefOfOne} />
      ) : (
        <All hrefOfOne={hrefOfOne} />
      )}
    </>
  );
}

/** All of them, with their calls in the time range of the address. */
function Active({ hrefOfOne }: Pick<OrganizationListProps, "hrefOfOne">) {
  const list = useList("org list", {}, "organizations");
  const range = useTimeRange();
  const history = useHistory(range, { by: "org", limit: 1_000 });
  const isWhole = useTogether(list.rows ?? list.error, history.result ?? history.error);
  return (
    <>
      <TimeRangeControl range={range} />
      {history.error && <Failure error={history.error} retry={history.reload} />}
      {isWhole && (
        <Organizations list={list} hrefOfOne={hrefOfOne} activity={activityColumns(history.result, range.query)} />
      )}
    </>
  );
}

function activityColumns(
  history: History | undefined,
  range: Readonly<Record<string, string | null>>,
): readonly Column<Organization>[] {
  const totals = new Map(history?.groups.map(({ key, total }) => [key, total]));
  // Of an organization that is not among the groups shown, the number is not known.
  const none = history?.more_groups === 0 ? <Count of={0} /> : <span class="dim">–</span>;
  return [
    {
      title: "Calls",
      isNumber: true,
      show: ({ organization_tuid: org }) => {
        const total = totals.get(org);
        if (total === undefined) return none;
        return (
          <a href={hrefOf("/runs", { org, ...range })}>
            <Count of={total.calls} />
          </a>
        );
      },
    },
    {
      title: "Failed",
      isNumber: true,
      show: ({ organization_tuid: org }) => {
        const total = totals.get(org);
        return total === undefined ? none : <FailedCount of={failedOf(total)} />;
      },
    },
    {
      title: "Cost",
      isNumber: true,
      show: ({ organization_tuid: org }) =>
        totals.get(org)?.costs.map(({ currency, amount, amount_at_most: most }) => (
          <div key={currency}>
            <Amount amount={amount} atMost={most} currency={currency} />
          </div>
        )),
    },
  ];
}

function All({ hrefOfOne }: Pick<OrganizationListProps, "hrefOfOne">) {
  return <Organizations list={useList("org list", {}, "organizations")} hrefOfOne={hrefOfOne} activity={[]} />;
}

interface OrganizationsProps extends Pick<OrganizationListProps, "hrefOfOne"> {
  readonly list: ListState<Organization>;
  readonly activity: readonly Column<Organization>[];
}

function Organizations({ list, hrefOfOne, activity }: OrganizationsProps) {
  return (
    <List
      caption="Organizations"
      columns={[
        {
          title: "Organization",
          show: ({ organization_tuid: id, name }: Organization) => <Named id={id} name={name} href={hrefOfOne(id)} />,
        },
        { title: "State", show: ({ disabled }) => <ActiveState disabled={disabled} /> },
        ...activity,
        { title: "Created", show: ({ created_at: at }) => <Day at={at} /> },
      ]}
      keyOf={({ organization_tuid: id }) => id}
      empty={
        <Empty title="There is no organization yet." command={'datarun org create "Acme Lending"'}>
          An organization has workflows, access tokens, and its own credentials for vendors.
        </Empty>
      }
      {...list}
    />
  );
}

function Found({ text, hrefOfOne }: { readonly text: string; readonly hrefOfOne: (id: string) => string }) {
  const { result, ...asked } = useVerb("object find", { text: text.slice(0, 200) });
  const rows = result?.matches.filter(({ kind }) => kind === "organization");
  return (
    <List
      caption="Organizations that match"
      columns={[
        { title: "Organization", show: ({ id, name }) => <Named id={id} name={name ?? ""} href={hrefOfOne(id)} /> },
      ]}
      keyOf={({ id }) => id}
      empty={<Empty title="No organization has this name or id." command="datarun org list" />}
      rows={rows}
      {...asked}
    />
  );
}

export function CreateOrganization() {
  const [name, setName] = useState("");
  return (
    <FormAct
      verb="org create"
      kind="primary"
      label="New organization"
      does="Create"
      title="New organization"
      input={() => ({ name })}
      onOpen={() => setName("")}
      onDone={({ organization_tuid: org }) => navigate(hrefOf("/access", { org }))}
    >
      <TextField label="Name" hint="A display name. It can be changed later." value={name} onValue={setName} required />
    </FormAct>
  );
}
