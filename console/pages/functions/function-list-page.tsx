import { useMemo } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useTogether } from "../../api/use-together.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { CountedOfDay, FailedCount } from "../../parts/activity.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Failure } from "../../parts/failure.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Count, Took } from "../../parts/values.tsx";
import type { FunctionActivity } from "./function-last-day.tsx";

type ListedFunction = ResultOf<"function list">["functions"][number];

type Row = ListedFunction & { readonly lastDay?: FunctionActivity | undefined };

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Function",
    isName: true,
    show: ({ function: id, title }) => (
      <div>
        <a href={hrefOf(`/functions/${encodeURIComponent(id)}`)}>{title}</a>
        <div class="dim">
          <code>{id}</code>
        </div>
      </div>
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
  {
    title: "Runs, last day",
    isNumber: true,
    show: ({ lastDay }) =>
      lastDay && <CountedOfDay count={lastDay.runs} complete={lastDay.complete} from={lastDay.counted_from} />,
  },
  { title: "Failed", isNumber: true, show: ({ lastDay }) => lastDay && <FailedCount of={lastDay.failed} /> },
  { title: "Rejected", isNumber: true, show: ({ lastDay }) => lastDay && <Count of={lastDay.rejected} /> },
  { title: "p50", isNumber: true, show: ({ lastDay }) => lastDay && <Took ms={lastDay.p50_ms} /> },
];

/** All functions of the catalog and the project. */
export function FunctionListPage() {
  const { query } = address();
  const [find, from] = [query.get("find") ?? "", query.get("from") ?? ""];
  const { result, error, isLoading, reload } = useVerb("function list", {});
  const all = result?.functions;
  const activity = useVerb("function activity", {});
  const isWhole = useTogether(activity.result ?? activity.error);
  const rows = useMemo(
    () => (isWhole && all ? withLastDay(filterFunctions(all, find, from), activity.result?.activity ?? []) : undefined),
    [all, find, from, activity.result, isWhole],
  );
  const isNarrowed = find !== "" || from !== "";
  return (
    <Page title="Functions" about="Code that calls several sources and combines their results into one output.">
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
      {activity.error && <Failure error={activity.error} retry={activity.reload} />}
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

function withLastDay(functions: readonly ListedFunction[], activity: readonly FunctionActivity[]): readonly Row[] {
  const byId = new Map(activity.map((each) => [each.function, each]));
  return functions.map((each) => ({ ...each, lastDay: byId.get(each.function) }));
}

function filterFunctions(all: readonly ListedFunction[], find: string, from: string): readonly ListedFunction[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((each) => {
    const text = `${each.function} ${each.title}`.toLowerCase();
    return (from === "" || each.from === from) && words.every((word) => text.includes(word));
  });
}
