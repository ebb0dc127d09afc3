import { address, setQuery } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { Empty } from "../../parts/empty.tsx";
import { TextField } from "../../parts/fields.tsx";
import { List } from "../../parts/list.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Id, Time } from "../../parts/values.tsx";
import type { RowOf } from "../../api/verb-types.ts";

type Entry = RowOf<"audit list", "entries">;

const COLUMNS: readonly Column<Entry>[] = [
  { title: "When", show: ({ at }) => <Time at={at} /> },
  { title: "Who", show: ({ who }) => who },
  { title: "Via", show: ({ via }) => via },
  { title: "What", show: ({ what }) => what },
  { title: "Of", show: ({ subject }) => <Id>{subject}</Id> },
  { title: "Details", show: ({ detail }) => <code>{JSON.stringify(detail)}</code> },
];

/** Who did what, and when. */
export function AuditPage() {
  const org = address().query.get("org") ?? "";
  const list = useList("audit list", org === "" ? {} : { org }, "entries");
  return (
    <Page title="Audit" about="Every change, and every failed login, newest first.">
      <form class="filter" onSubmit={(event) => event.preventDefault()}>
        <TextField label="Organization" value={org} onValue={(value) => setQuery({ org: value })} placeholder="org_…" />
      </form>
      <List
        caption="Acts of operators"
        columns={COLUMNS}
        keyOf={({ at, what, subject }) => `${at} ${what} ${subject}`}
        empty={<Empty title="Nothing has been done here yet." command="datarun audit list" />}
        {...list}
      />
    </Page>
  );
}
