import { useEffect, useMemo } from "preact/hooks";
import { address, navigate, hrefOf, setQuery } from "../../address.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import { CountedOfDay, FailedCount } from "../../parts/activity.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Count, Took } from "../../parts/values.tsx";
import { FILTER_KEYS, filterSources, type ListedSource, type SourceFilter } from "./filter-sources.ts";
import type { Activity } from "./last-day.tsx";
import { chargeText } from "./charge-text.ts";
import { SourceState } from "./source-state.tsx";

type Row = ListedSource & { readonly lastDay?: Activity | undefined };

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Source",
    isName: true,
    show: ({ source, title, from }) => (
      <>
        <ObjectLink id={source} name={title} />
        <div class="dim">
          {title !== source && <code>{source}</code>}
          {from === "project" && (title === source ? "project" : " · project")}
        </div>
      </>
    ),
  },
  { title: "State", show: (source) => <SourceState of={source} /> },
  { title: "Tested live", show: ({ live_tested: tested }) => tested },
  { title: "Credential", show: ({ credential }) => credential },
  { title: "Billed", show: ({ charge }) => chargeText(charge) },
  {
    title: "Calls, last day",
    isNumber: true,
    show: ({ lastDay }) =>
      lastDay && <CountedOfDay count={lastDay.calls} complete={lastDay.complete} from={lastDay.counted_from} />,
  },
  { title: "Failed", isNumber: true, show: ({ lastDay }) => lastDay && <FailedCount of={lastDay.failed} /> },
  // Includes calls that datarun rejected and calls without a credential. Nothing was sent for either. The page of the
  // source shows them separately.
  {
    title: "Rejected",
    isNumber: true,
    show: ({ lastDay }) => lastDay && <Count of={lastDay.rejected + lastDay.no_credential} />,
  },
  { title: "p50", isNumber: true, show: ({ lastDay }) => lastDay && <Took ms={lastDay.p50_ms} /> },
];

/** All sources of the catalog and the project. */
export function SourceListPage() {
  const { query } = address();
  const filter = Object.fromEntries(FILTER_KEYS.map((key) => [key, query.get(key) ?? ""])) as unknown as SourceFilter;
  const named = query.get("source");
  useEffect(() => {
    if (named) navigate(hrefOf(`/sources/${encodeURIComponent(named)}`), { replace: true });
  }, [named]);
  const { result, error, isLoading, reload } = useVerb("source list", {});
  const all = result?.sources;
  const key = FILTER_KEYS.map((name) => filter[name]).join("\n");
  const activity = useVerb("ledger activity", {});
  const isWhole = useTogether(activity.result ?? activity.error);
  const rows = useMemo(
    () => (isWhole && all ? withLastDay(filterSources(all, filter), activity.result?.activity ?? []) : undefined),
    [all, key, activity.result, isWhole],
  );
  const isNarrowed = FILTER_KEYS.some((name) => filter[name] !== "");
  return (
    <Page title="Sources" about="The sources of the catalog and of your project.">
      <form class="filter filter-dense" role="search" aria-label="Sources" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Find"
          type="search"
          value={filter.find}
          onValue={(find) => setQuery({ find })}
          placeholder="id, title or input"
        />
        {CHOICES.map(({ name, label, choices }) => (
          <SelectField
            key={name}
            label={label}
            value={filter[name]}
            onValue={(value) => setQuery({ [name]: value })}
            choices={[{ value: "", label: "all" }, ...choices]}
          />
        ))}
      </form>
      <p class="dim" aria-live="polite">
        {all === undefined || rows === undefined
          ? "\u00a0"
          : isNarrowed
            ? `${rows.length} of ${all.length} sources`
            : `${all.length} sources`}
      </p>
      {activity.error && <Failure error={activity.error} retry={activity.reload} />}
      <List
        caption="Sources"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ source }) => source}
        error={error}
        isLoading={isLoading}
        reload={reload}
        empty={
          isNarrowed ? (
            <Empty title="No source matches the filter.">Remove a part of the filter.</Empty>
          ) : (
            <Empty title="There is no source yet." command="datarun source new acme__company">
              Write the first source from the documentation of a vendor.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function withLastDay(sources: readonly ListedSource[], activity: readonly Activity[]): readonly Row[] {
  const bySource = new Map(activity.map((each) => [each.source, each]));
  return sources.map((source) => ({ ...source, lastDay: bySource.get(source.source) }));
}

const CHOICES = [
  {
    name: "state",
    label: "State",
    choices: [
      { value: "on", label: "on" },
      { value: "off", label: "off" },
      { value: "never_tested", label: "never tested live" },
      { value: "local", label: "answers on this machine" },
    ],
  },
  {
    name: "from",
    label: "Origin",
    choices: [
      { value: "catalog", label: "the catalog" },
      { value: "project", label: "your project" },
    ],
  },
  {
    name: "credential",
    label: "Credential",
    choices: [
      { value: "required", label: "required" },
      { value: "optional", label: "optional" },
      { value: "none", label: "none" },
    ],
  },
  {
    name: "cost",
    label: "Billed",
    choices: [
      { value: "free", label: "nothing" },
      { value: "billed", label: "something" },
    ],
  },
] as const;
