import { address } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useNames } from "../../api/use-names.ts";
import type { RowOf } from "../../api/verb-types.ts";
import { commandOf } from "../../parts/command-of.ts";
import { Damaged } from "../../parts/damaged.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Export } from "../../parts/export.tsx";
import { List } from "../../parts/list.tsx";
import { hrefOfObject, ObjectLink } from "../../parts/object-link.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Page } from "../../parts/page.tsx";
import type { Column } from "../../parts/table.tsx";
import { Badge, Id, Time, Took } from "../../parts/values.tsx";
import { readFilter } from "./filter.ts";
import { RunsFilter } from "./runs-filter.tsx";
import "./runs.css";

type Run = RowOf<"ledger list", "runs">;
type Names = ReadonlyMap<string, string>;

/** The runs of the ledger. The filter is in the address. */
export function RunsPage() {
  const filter = readFilter(address().query);
  const list = useList("ledger list", filter, "runs");
  const names = useNames((list.rows ?? []).flatMap((run) => [run.organization_tuid, run.workflow]));
  const damaged = list.results.flatMap((page) => page.damaged ?? []);
  // With a strict filter a page may end early, and the next pages may still have matches.
  const lookedBackTo = list.results.at(-1)?.looked_back_to;
  const isFiltered = Object.keys(filter).length > 0;
  return (
    <Page
      title="Runs"
      about="Runs with unknown charges come first, then the newest. Times are in UTC."
      actions={<Export verb="ledger export" filter={filter} />}
    >
      <RunsFilter filter={filter} isFiltered={isFiltered} />
      {damaged.length > 0 && (
        <Damaged runs={{ count: damaged.length, named: damaged.slice(0, NAMED_MAX) }} says="left out of this list" />
      )}
      <List
        caption="Runs"
        columns={columnsWith(names ?? NO_NAMES)}
        keyOf={({ transaction_id: id }) => id}
        empty={
          isFiltered || damaged.length > 0 ? (
            <Empty
              title={
                lookedBackTo !== undefined
                  ? "No run searched so far matches the filter."
                  : damaged.length > 0
                    ? "No further run was found."
                    : "No run matches the filter."
              }
              command={commandOf("ledger list", filter)}
            />
          ) : (
            NOTHING_YET
          )
        }
        {...list}
        // A name is shorter than an id: a late name would shift the rows below.
        rows={names === undefined ? undefined : list.rows}
      />
      {lookedBackTo !== undefined && (
        <p class="dim" role="status">
          The runs of this function were searched back to <Time at={lookedBackTo} />.
        </p>
      )}
    </Page>
  );
}

const NO_NAMES: Names = new Map();
const NAMED_MAX = 20;

const NOTHING_YET = (
  <Empty title="No run has ended yet." command="datarun source run SOURCE --workflow wfl_…">
    Every run appears here with its calls, outcomes and cost.
  </Empty>
);

function columnsWith(names: Names): readonly Column<Run>[] {
  return [
    { title: "Run", show: (run) => <Started run={run} /> },
    { title: "For", show: (run) => <Caller run={run} names={names} /> },
    { title: "Kind", show: (run) => <Kind run={run} /> },
    { title: "Calls", show: (run) => <Calls run={run} /> },
    { title: "Charge", show: (run) => <Charge run={run} /> },
    {
      title: "Cost",
      show: ({ cost }) => (cost.length === 0 ? <span class="dim">–</span> : cost.join(", ")),
      isNumber: true,
    },
    { title: "Duration", show: ({ took_ms: ms }) => <Took ms={ms} />, isNumber: true },
  ];
}

function Started({ run: { transaction_id: id, started_at: at } }: { readonly run: Run }) {
  return (
    <div class="runs-two runs-started">
      <a href={hrefOfObject("run", id)}>
        <Time at={at} />
      </a>
      <span class="dim runs-id">
        <Id>{id}</Id>
      </span>
    </div>
  );
}

function Caller({ run, names }: { readonly run: Run; readonly names: Names }) {
  const { organization_tuid: org, workflow } = run;
  return (
    <div class="runs-two">
      <ObjectLink id={org} name={names.get(org)} />
      <ObjectLink id={workflow} org={org} name={names.get(workflow)} />
    </div>
  );
}

function Kind({ run: { kind, context, simulated, state, function_version_number: number } }: { readonly run: Run }) {
  return (
    <div class="runs-two">
      {kind.startsWith("dfunc_") ? <ObjectLink id={kind} /> : <span>{kind}</span>}
      <span class="beside">
        {number !== null && <span class="dim">version {number}</span>}
        {simulated && <Badge kind="simulated">simulated</Badge>}
        {context !== "prod" && <Badge>{context}</Badge>}
        {state === "unknown" && <Badge kind="unknown">interrupted</Badge>}
      </span>
    </div>
  );
}

function Calls({ run: { calls, failed } }: { readonly run: Run }) {
  return (
    <div class="runs-two">
      <span>{calls === 1 ? "1 call" : `${calls} calls`}</span>
      {failed > 0 && <Outcome kind="failed" says={`${failed} failed`} />}
    </div>
  );
}

function Charge({ run: { requests, charged, charge_unknown: unknown } }: { readonly run: Run }) {
  return (
    <div class="runs-two">
      {unknown > 0 && <Outcome kind="unknown" says={`${unknown} to settle`} />}
      {requests === 0 ? (
        <span class="dim">nothing sent</span>
      ) : (
        <span class="runs-short">
          {charged} of {requests} charged
        </span>
      )}
    </div>
  );
}
