import { useMemo } from "preact/hooks";
import { address, setQuery } from "../../address.ts";
import { useHistory, type History } from "../../api/use-history.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { FailedCount } from "../../parts/activity.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { failedOf, rejectedOf } from "../../parts/history/history-sums.ts";
import { List } from "../../parts/list.tsx";
import { ObjectLink } from "../../parts/object-link.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { Count, Took } from "../../parts/values.tsx";

type ListedFunction = ResultOf<"function list">["functions"][number];

type Total = History["groups"][number]["total"];
type Row = ListedFunction & { readonly total?: Total | undefined };

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Function",
    isName: true,
    show: ({ function: id, title }) => (
      <>
        <ObjectLink id={id} name={title} />
        <div class="dim">
          <code>{id}</code>
        </div>
      </>
    ),
  },
  { title: "Origin", show: ({ from }) => from },
  { title: "Time limit", isNumber: true, show: ({ timeout_ms: ms }) => <Took ms={ms} /> },
  {
    title: "Memory limit",
    isNumber: true,
    show: ({ memory_mb: mb }) => (
      <>
        <Count of={mb} /> MB
      </>
    ),
  },
  { title: "Runs", isNumber: true, show: ({ total }) => <Count of={total?.calls ?? 0} /> },
  { title: "Failed", isNumber: true, show: ({ total }) => total && <FailedCount of={failedOf(total)} /> },
  { title: "Rejected", isNumber: true, show: ({ total }) => total && <Count of={rejectedOf(total)} /> },
  { title: "p50", isNumber: true, show: ({ total }) => total && <Took ms={total.p50_ms} /> },
  { title: "p95", isNumber: true, show: ({ total }) => total && <Took ms={total.p95_ms} /> },
  { title: "p99", isNumber: true, show: ({ total }) => total && <Took ms={total.p99_ms} /> },
];

/** All functions of the catalog and the project. */
export function FunctionListPage() {
  const { query } = address();
  const [find, from] = [query.get("find") ?? "", query.get("from") ?? ""];
  const { result, error, isLoading, reload } = useVerb("function list", {});
  const all = result?.functions;
  const range = useTimeRange();
  const history = useHistory(range, { by: "function", limit: 1_000 });
  const isWhole = useTogether(history.result ?? history.error);
  const rows = useMemo(
    () => (isWhole && all ? withTotals(filterFunctions(all, find, from), history.result) : undefined),
    [all, find, from, history.result, isWhole],
  );
  const isNarrowed = find !== "" || from !== "";
  return (
    <Page title="Functions" about="Code that calls several sources and combines their results into one output.">
      <TimeRangeControl range={range} />
      <form class="filter" role="search" aria-label="Functions" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Find"
          type="search"
          value={find}
          onValue={(value) => setQuery({ find: value })}
          placeholder="id or title"
        />
        <SelectField
          label="Origin"
          value={from}
          onValue={(value) => setQuery({ from: value })}
          choices={[
            { value: "", label: "all" },
            { value: "catalog", label: "the catalog" },
            { value: "project", label: "your project" },
          ]}
        />
      </form>
      {history.error && <Failure error={history.error} retry={history.reload} />}
      <List
        caption="Functions"
        columns={COLUMNS}
        rows={rows}
        keyOf={(row) => row.function}
        error={error}
        isLoading={isLoading}
        reload={reload}
        empty={
          isNarrowed ? (
            <Empty title="No function matches the filter.">Remove a part of the filter.</Empty>
          ) : (
            <Empty
              title="There is no function yet."
              command="datarun function new dfunc_reachable_by --project my-project"
            >
              Write the first function. It comes with working cases.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function withTotals(functions: readonly ListedFunction[], history: History | undefined): readonly Row[] {
  const byId = new Map(history?.groups.map(({ key, total }) => [key, total]));
  return functions.map((each) => ({ ...each, total: byId.get(each.function) }));
}

function filterFunctions(all: readonly ListedFunction[], find: string, from: string): readonly ListedFunction[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((each) => {
    const text = `${each.function} ${each.title}`.toLowerCase();
    return (from === "" || each.from === from) && words.every((word) => text.includes(word));
  });
}
