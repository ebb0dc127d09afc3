import { useEffect, useMemo } from "preact/hooks";
import { address, navigate, hrefOf, setQuery } from "../../address.ts";
import { useHistory, type History } from "../../api/use-history.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import { HeatSection, useCharts } from "../../parts/chart.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { List, Loading } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { attemptedOf, failedOf, rejectedOf } from "../../parts/history/history-sums.ts";
import { Outcome } from "../../parts/outcome.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { Count, Took } from "../../parts/values.tsx";
import { FILTER_KEYS, filterSources, onFirst, type ListedSource, type SourceFilter } from "./filter-sources.ts";
import { chargeText } from "./charge-text.ts";
import { SourceState } from "./source-state.tsx";

type Row = ListedSource & { readonly total?: Total | undefined };
type Total = History["groups"][number]["total"];

/** Columns that the list can be sorted by, largest first, and their values. */
const SORTS: Readonly<Record<string, (total: Total) => number>> = {
  Calls: ({ calls }) => calls,
  "Failure rate": (total) => failureRate(total) ?? -1,
  Rejected: (total) => rejectedOf(total) + total.no_credential,
  p50: ({ p50_ms: ms }) => ms ?? -1,
  p95: ({ p95_ms: ms }) => ms ?? -1,
  p99: ({ p99_ms: ms }) => ms ?? -1,
};

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Source",
    isName: true,
    show: ({ source, title, from }) => (
      <>
        <ObjectLink id={source} name={title} />
        <div class="dim">
          {title !== source && <code>{source}</code>}
          {from !== "catalog" && (title === source ? from : ` · ${from}`)}
        </div>
      </>
    ),
  },
  {
    title: "State",
    show: (source) => (
      <>
        <SourceState of={source} />
        {source.on && source.leaves_machine && (
          <div class="dim">{source.live_tested === "never" ? "never proved" : `proved ${source.live_tested}`}</div>
        )}
      </>
    ),
  },
  { title: "Credential", show: ({ credential }) => credential },
  { title: "Billed", show: ({ charge }) => chargeText(charge) },
  { title: "Calls", isNumber: true, show: ({ total }) => <Count of={total?.calls ?? 0} /> },
  { title: "Failure rate", isNumber: true, show: ({ total }) => total && <FailureRate of={total} /> },
  // Includes calls that datarun rejected and calls without a credential. Nothing was sent for either. The page of the
  // source shows them separately.
  {
    title: "Rejected",
    isNumber: true,
    show: ({ total }) => total && <Count of={rejectedOf(total) + total.no_credential} />,
  },
  { title: "p50", isNumber: true, show: ({ total }) => total && <Took ms={total.p50_ms} /> },
  { title: "p95", isNumber: true, show: ({ total }) => total && <Took ms={total.p95_ms} /> },
  { title: "p99", isNumber: true, show: ({ total }) => total && <Took ms={total.p99_ms} /> },
];

/** The failed part of the calls for which a request was sent or could have been; `null` without any. */
function failureRate(total: Total): number | null {
  const attempted = attemptedOf(total);
  return attempted <= 0 ? null : failedOf(total) / attempted;
}

function FailureRate({ of }: { readonly of: Total }) {
  const rate = failureRate(of);
  if (rate === null) return <span class="dim">–</span>;
  if (rate === 0) return <>0 %</>;
  const percent = 100 * rate;
  return (
    <span title={`${failedOf(of)} of ${attemptedOf(of)}`}>
      <Outcome kind="failed" says={percent < 1 ? "below 1 %" : `${Math.round(percent)} %`} />
    </span>
  );
}

/** The columns with buttons that sort. A second click restores the order by id. */
function sortable(sort: string | null): readonly Column<Row>[] {
  return COLUMNS.map((column) => {
    const { title } = column;
    if (!(title in SORTS)) return column;
    const isSorted = sort === title;
    return {
      ...column,
      sorted: isSorted ? "descending" : undefined,
      head: (
        <button type="button" class="table-sort" onClick={() => setQuery({ sort: isSorted ? null : title })}>
          {title} {isSorted && <span aria-hidden="true">▾</span>}
        </button>
      ),
    };
  });
}

function inOrder(rows: readonly Row[], sort: string | null): readonly Row[] {
  const valueOf = sort === null ? undefined : SORTS[sort];
  if (valueOf === undefined) return onFirst(rows);
  const value = ({ total }: Row) => (total === undefined ? -2 : valueOf(total));
  return rows.toSorted((one, other) => value(other) - value(one));
}

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
  const range = useTimeRange();
  const history = useHistory(range, { by: "source", limit: 1_000 });
  const isWhole = useTogether(history.result ?? history.error, useCharts());
  const sort = query.get("sort");
  const rows = useMemo(
    () => (isWhole && all ? inOrder(withTotals(filterSources(all, filter), history.result), sort) : undefined),
    [all, key, history.result, isWhole, sort],
  );
  const columns = useMemo(() => sortable(sort), [sort]);
  const isNarrowed = FILTER_KEYS.some((name) => filter[name] !== "");
  return (
    <Page title="Sources" about="The sources of the catalog and of your project.">
      <TimeRangeControl range={range} />
      {history.error && <Failure error={history.error} retry={history.reload} />}
      {isWhole ? (
        <>
          {history.result && history.result.groups.length > 0 && <HeatSection range={range} history={history.result} />}
          <form
            class="filter filter-dense"
            role="search"
            aria-label="Sources"
            onSubmit={(event) => event.preventDefault()}
          >
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
          <List
            caption="Sources"
            columns={columns}
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
        </>
      ) : (
        <Loading />
      )}
    </Page>
  );
}

function withTotals(sources: readonly ListedSource[], history: History | undefined): readonly Row[] {
  const bySource = new Map(history?.groups.map(({ key, total }) => [key, total]));
  return sources.map((source) => ({ ...source, total: bySource.get(source.source) }));
}

const CHOICES = [
  {
    name: "state",
    label: "State",
    choices: [
      { value: "on", label: "on" },
      { value: "off", label: "off" },
      { value: "never_tested", label: "never proved" },
      { value: "local", label: "answers on this machine" },
    ],
  },
  {
    name: "from",
    label: "Origin",
    choices: [
      { value: "catalog", label: "the catalog" },
      { value: "project", label: "your project" },
      { value: "package", label: "a package" },
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
