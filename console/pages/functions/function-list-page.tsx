import { useMemo } from "preact/hooks";
import { address, hrefOf, setQuery } from "../../address.ts";
import { useVerb } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Empty } from "../../parts/empty.tsx";
import { SelectField, TextField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Count, Took } from "../../parts/values.tsx";

type ListedFunction = ResultOf<"function list">["functions"][number];

const COLUMNS: readonly Column<ListedFunction>[] = [
  {
    title: "Function",
    show: ({ function: id, title }) => (
      <div>
        <a href={hrefOf(`/functions/${encodeURIComponent(id)}`)}>{title}</a>
        <div class="dim">
          <code>{id}</code>
        </div>
      </div>
    ),
  },
  { title: "From", show: ({ from }) => from },
  { title: "Time at most", isNumber: true, show: ({ timeout_ms: ms }) => <Took ms={ms} /> },
  {
    title: "Memory at most",
    isNumber: true,
    show: ({ memory_mb: mb }) => (
      <>
        <Count of={mb} /> MB
      </>
    ),
  },
];

/** Every function of the catalog and of the project. */
export function FunctionListPage() {
  const { query } = address();
  const [find, from] = [query.get("find") ?? "", query.get("from") ?? ""];
  const { result, error, isLoading, reload } = useVerb("function list", {});
  const all = result?.functions;
  const rows = useMemo(() => all && filterFunctions(all, find, from), [all, find, from]);
  const isNarrowed = find !== "" || from !== "";
  return (
    <Page title="Functions" about="Code that asks several sources and makes one answer of what they say.">
      <form class="filter" role="search" onSubmit={(event) => event.preventDefault()}>
        <TextField
          label="Find"
          type="search"
          value={find}
          onValue={(value) => setQuery({ find: value })}
          placeholder="id or title"
        />
        <SelectField
          label="From"
          value={from}
          onValue={(value) => setQuery({ from: value })}
          choices={[
            { value: "", label: "all" },
            { value: "catalog", label: "the catalog" },
            { value: "project", label: "your project" },
          ]}
        />
      </form>
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
            <Empty title="No function matches the filter.">Take something out of the filter.</Empty>
          ) : (
            <Empty
              title="There is no function yet."
              command="datarun function new dfunc_reachable_by --project my-project"
            >
              Write the first one: it comes with working cases.
            </Empty>
          )
        }
      />
    </Page>
  );
}

function filterFunctions(all: readonly ListedFunction[], find: string, from: string): readonly ListedFunction[] {
  const words = find.toLowerCase().split(/\s+/).filter(Boolean);
  return all.filter((each) => {
    const text = `${each.function} ${each.title}`.toLowerCase();
    return (from === "" || each.from === from) && words.every((word) => text.includes(word));
  });
}
