import { address, currentZone, hrefOf, setQuery } from "../../address.ts";
import { useList, useWholeList } from "../../api/use-list.ts";
import type { InputOf, RowOf } from "../../api/verb-types.ts";
import { commandOf } from "../../parts/command-of.ts";
import { Empty } from "../../parts/empty.tsx";
import { Export } from "../../parts/export.tsx";
import { type Choice, SelectField, TextField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { OrganizationField } from "../../parts/organization-field.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { FilterButtons, useDraft } from "../../parts/filter-form.tsx";
import { Time } from "../../parts/values.tsx";
import { RECORDED_ACTS } from "./recorded-acts.ts";
import { Details } from "./details.tsx";

type Entry = RowOf<"audit list", "entries">;

/** The parameters of the address, equal to those of the verb. */
const FILTERS = ["who", "what", "org", "subject", "from", "to"] as const;
type Filter = Readonly<Record<(typeof FILTERS)[number], string>>;

const COLUMNS: readonly Column<Entry>[] = [
  { title: "Time", show: ({ at }) => <Time at={at} /> },
  { title: "Operator", isName: true, show: ({ who, via }) => <OperatorName who={who} via={via} /> },
  { title: "Action", show: ({ what }) => what },
  {
    title: "Object",
    isName: true,
    show: ({ subject, subject_name: name, organization_tuid: org }) => (
      <ObjectLink id={subject} org={org} name={name} withId />
    ),
  },
  {
    title: "Organization",
    show: (entry) => isOfAnother(entry) && <ObjectLink id={entry.organization_tuid!} name={entry.organization} />,
  },
  { title: "Details", show: ({ detail, organization_tuid: org }) => <Details of={detail} org={org} /> },
];

function isOfAnother({ organization_tuid: org, subject }: Entry): boolean {
  return org !== null && org !== subject;
}

function OperatorName({ who, via }: Pick<Entry, "who" | "via">) {
  return (
    <div>
      <bdi>{who}</bdi> <span class="dim">{VIA[via]}</span>
    </div>
  );
}

const VIA: Readonly<Record<Entry["via"], string>> = { cli: "in a terminal", api: "", service: "automatic" };

/** The audit trail: operator, action and time. */
export function AuditPage() {
  const { query } = address();
  const filter = Object.fromEntries(FILTERS.map((name) => [name, query.get(name) ?? ""])) as unknown as Filter;
  const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== ""));
  const isFiltered = Object.keys(given).length > 0;
  const list = useList("audit list", given as InputOf<"audit list">, "entries");
  const unknown = list.results[0]?.unknown;
  return (
    <Page
      title="Audit"
      about={`All changes and failed logins, newest first. Times are in ${currentZone()}; the filter takes days of UTC.`}
      actions={<Export verb="audit export" filter={given} />}
    >
      <FilterForm filter={filter} isFiltered={isFiltered} />
      <List
        caption="Audit trail"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <Empty
            title={unknown?.says ?? (isFiltered ? "No entry matches the filter." : "The audit trail is empty.")}
            command={commandOf("audit list", given)}
          >
            {unknown && unknown.near.length > 0 && (
              <>
                Similar actions:{" "}
                {unknown.near.map((each, at) => (
                  <>
                    {at > 0 && ", "}
                    <a key={each} href={hrefOf("/audit", { ...given, [unknown.of]: each })}>
                      {each}
                    </a>
                  </>
                ))}
                .
              </>
            )}
          </Empty>
        }
        {...list}
      />
    </Page>
  );
}

/** A choice takes effect at once, typed text with Enter. */
function FilterForm({ filter, isFiltered }: { readonly filter: Filter; readonly isFiltered: boolean }) {
  const operators = useWholeList("operator list", {}, "operators").rows ?? [];
  const [draft, setDraft] = useDraft(filter);
  const apply = (changes: Partial<Filter>) => {
    const asked = { ...draft, ...changes };
    const given = FILTERS.map((name) => [name, asked[name].trim() || null] as const);
    setQuery(Object.fromEntries(given), { remember: true });
  };
  const field = (name: keyof Filter) => ({
    name,
    value: draft[name],
    onValue: (value: string) => setDraft({ ...draft, [name]: value }),
  });
  return (
    <form
      class="filter audit-filter"
      onSubmit={(event) => {
        event.preventDefault();
        apply({});
      }}
    >
      <TextField label="Operator" list={[...new Set(operators.map(({ name }) => name))]} {...field("who")} />
      <SelectField
        label="Group"
        name="group"
        choices={GROUPS}
        value={GROUPS.some(({ value }) => value === draft.what) ? draft.what : OTHER}
        onValue={(what) => apply({ what: what === OTHER ? "" : what })}
      />
      <TextField label="Action" list={RECORDED_ACTS} placeholder="price set" {...field("what")} />
      <TextField label="Object" placeholder="an id" {...field("subject")} />
      <OrganizationField value={draft.org} none="any" onValue={(org) => apply({ org })} />
      <TextField label="From" type="date" {...field("from")} />
      <TextField label="Before" type="date" {...field("to")} />
      <FilterButtons
        isFiltered={isFiltered}
        onClear={() => setQuery(Object.fromEntries(FILTERS.map((name) => [name, null])), { remember: true })}
      />
    </form>
  );
}

const OTHER = "other";

/** Words of actions that belong together. */
const GROUPS: readonly Choice[] = [
  { value: "", label: "all" },
  { value: "org", label: "organizations" },
  { value: "workflow", label: "workflows" },
  { value: "token", label: "tokens" },
  { value: "credential", label: "credentials and prices" },
  { value: "price", label: "prices" },
  { value: "budget", label: "budgets" },
  { value: "ledger", label: "charges and the ledger" },
  { value: "operator", label: "operators" },
  { value: "session", label: "logins" },
  { value: "login failed", label: "failed logins" },
  { value: "revoke", label: "revocations" },
  { value: "disable", label: "disabled objects" },
  { value: "function", label: "functions" },
  { value: "source", label: "sources" },
  { value: "keys", label: "keys" },
  { value: "store", label: "the store" },
  { value: OTHER, label: "as typed" },
];
