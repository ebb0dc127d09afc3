import { createContext, type ComponentChildren } from "preact";
import { useContext, useMemo, useRef } from "preact/hooks";
import { address, hrefOf } from "../../address.ts";
import { useList } from "../../api/use-list.ts";
import { useRunCounts } from "../../api/use-history.ts";
import { useNames } from "../../api/use-names.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { RunHistogram } from "../../parts/chart.tsx";
import { commandOf } from "../../parts/command-of.ts";
import { Damaged } from "../../parts/damaged.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Export } from "../../parts/export.tsx";
import { List } from "../../parts/list.tsx";
import { hrefOfObject, ObjectLink } from "../../parts/object-link.tsx";
import { Shape } from "../../parts/outcome.tsx";
import { Page } from "../../parts/page.tsx";
import { ShortId } from "../../parts/short-id.tsx";
import type { Column } from "../../parts/table.tsx";
import { type TimeRange, TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import { Badge, Count, Time, Took } from "../../parts/values.tsx";
import { type Filter, inputOf, readFilter } from "./filter.ts";
import { RunOutcomes } from "./run-outcomes.tsx";
import type { Run } from "./run-words.ts";
import { RunsFilter } from "./runs-filter.tsx";
import "./runs.css";

type Names = ReadonlyMap<string, string>;

/** The runs of the ledger. The filter is in the address. */
export function RunsPage() {
  const filter = readFilter(address().query);
  const range = useTimeRange(null);
  const input = inputOf(filter, useSpan(range));
  const list = useList("ledger list", input, "runs");
  const names = useSameNames(useNames((list.rows ?? []).flatMap((run) => [run.organization_tuid, run.workflow])));
  // A name is shorter than an id: a late name would shift the rows below.
  const rows = names === undefined ? undefined : list.rows;
  const damaged = list.results.flatMap((page) => page.damaged ?? []);
  // With a strict filter a page may end early, and the next pages may still have matches.
  const lookedBackTo = list.results.at(-1)?.looked_back_to;
  const isFiltered = Object.keys(input).length > 0;
  const columns = useMemo(() => columnsFor(filter.source), [filter.source]);
  return (
    <Page title="Runs" about="Newest first." actions={<Export verb="ledger export" filter={input} />}>
      <TimeRangeControl range={range} any="All time" />
      <RunsFilter filter={filter} isFiltered={isFiltered} />
      <RunsOverTime filter={filter} />
      {damaged.length > 0 && (
        <Damaged runs={{ count: damaged.length, named: damaged.slice(0, NAMED_MAX) }} says="left out of this list" />
      )}
      {rows !== undefined && filter.charged === undefined && (
        <ToSettle {...toSettleOf(list.results[0])} filter={filter} range={range} />
      )}
      {/* Another element when the rows arrive, because the sentence above that arrives with them would shift it. */}
      <div key={rows === undefined ? "loading" : "rows"} id="runs" tabIndex={-1}>
        <NamesOfRuns.Provider value={names ?? NO_NAMES}>
          <List
            caption="Runs"
            layout="runs-table"
            columns={columns}
            keyOf={keyOf}
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
                  command={commandOf("ledger list", input)}
                />
              ) : (
                NOTHING_YET
              )
            }
            {...list}
            rows={rows}
          />
        </NamesOfRuns.Provider>
      </div>
      {lookedBackTo !== undefined && (
        <p class="dim" role="status">
          The runs of this filter were searched back to <Time at={lookedBackTo} />.
        </p>
      )}
    </Page>
  );
}

const NO_NAMES: Names = new Map();
/** Cells read names from here, so that late names render only these cells again, and not the rows. */
const NamesOfRuns = createContext(NO_NAMES);
const NAMED_MAX = 20;

const NOTHING_YET = (
  <Empty title="No run has ended yet." command="datarun source run SOURCE --workflow wfl_…">
    Every run appears here with its calls, outcomes and cost.
  </Empty>
);

function keyOf({ transaction_id: id }: Run): string {
  return id;
}

/**
 * The span of the list. That of a preset stays as it was when the preset was chosen: every minute it would be another
 * one, and the list would begin again.
 */
function useSpan(range: TimeRange | null): { readonly from?: string; readonly to?: string } {
  const isCustom = range?.name === "custom";
  return useMemo(
    () => (range === null ? {} : { from: range.from, ...(isCustom && { to: range.to }) }),
    [range?.name, isCustom && range.from, isCustom && range.to],
  );
}

/** The previous map while its entries are the same. */
function useSameNames(names: Names | undefined): Names | undefined {
  const last = useRef(names);
  if (names === undefined || last.current === undefined || !isSame(names, last.current)) last.current = names;
  return last.current;
}

function isSame(one: Names, other: Names): boolean {
  return one.size === other.size && [...one].every(([id, name]) => other.get(id) === name);
}

/** The runs of the filter over the range, or over the last day. Selecting a part of the chart sets the range. */
function RunsOverTime({ filter }: { readonly filter: Filter }) {
  const range = useTimeRange("24h");
  const { result, isCurrent, error } = useRunCounts(range, inputOf(filter, {}));
  const counts = isCurrent ? result : undefined;
  return (
    <section class="runs-over-time" aria-label="Runs over time">
      <h2>
        Runs by outcome, {range.says}
        {counts && (
          <span class="dim">
            : <Count of={counts.total.runs} />
            {counts.counted_from !== counts.from && (
              <>
                , counted back to <Time at={counts.counted_from} />
              </>
            )}
          </span>
        )}
      </h2>
      {error === undefined ? (
        <RunHistogram range={range} counts={counts} />
      ) : (
        <p class="dim" role="status">
          {error.message}
        </p>
      )}
    </section>
  );
}

interface ToSettleProps {
  readonly runs: number;
  readonly isMore: boolean;
  readonly filter: Filter;
  readonly range: TimeRange | null;
}

function toSettleOf(page: ResultOf<"ledger list"> | undefined): Pick<ToSettleProps, "runs" | "isMore"> {
  return { runs: page?.to_settle ?? 0, isMore: page?.more_to_settle ?? false };
}

function ToSettle({ runs, isMore, filter, range }: ToSettleProps) {
  if (runs === 0) return null;
  const isOne = runs === 1 && !isMore;
  return (
    <p class="runs-to-settle">
      <Shape of="unknown" />{" "}
      <span>
        {isMore && "At least "}
        <Count of={runs} /> {isOne ? "run has" : "runs have"} a charge to settle.{" "}
        <a href={hrefOf("/runs", { ...filter, ...range?.query, charged: "unknown" })}>Show {isOne ? "it" : "them"}</a>
      </span>
    </p>
  );
}

function columnsFor(source: string | undefined): readonly Column<Run>[] {
  return [
    { title: "Run", show: (run) => <Started run={run} /> },
    { title: "For", show: (run) => <Caller run={run} /> },
    { title: "Kind", show: (run) => <Kind run={run} /> },
    { title: "Calls", show: (run) => <RunOutcomes run={run} source={source} /> },
    { title: source === undefined ? "Cost" : "Cost of the run", show: (run) => <Cost run={run} />, isNumber: true },
    { title: "Duration", show: (run) => <Duration run={run} source={source} />, isNumber: true },
  ];
}

function Started({ run: { transaction_id: id, started_at: at } }: { readonly run: Run }) {
  return (
    <Two>
      <a href={hrefOfObject("run", id)}>
        <Time at={at} />
      </a>
      <ShortId id={id} />
    </Two>
  );
}

function Caller({ run: { organization_tuid: org, workflow } }: { readonly run: Run }) {
  const names = useContext(NamesOfRuns);
  return (
    <Two>
      <ObjectLink id={org} name={names.get(org)} />
      <ObjectLink id={workflow} org={org} name={names.get(workflow)} />
    </Two>
  );
}

function Kind({ run: { kind, context, simulated, state, function_version_number: number } }: { readonly run: Run }) {
  return (
    <Two>
      {kind.startsWith("dfunc_") ? <ObjectLink id={kind} /> : <span>{kind}</span>}
      <span class="beside">
        {number !== null && <span class="dim">version {number}</span>}
        {simulated && <Badge kind="simulated">simulated</Badge>}
        {context !== "prod" && <Badge>{context}</Badge>}
        {state === "unknown" && <Badge kind="unknown">interrupted</Badge>}
      </span>
    </Two>
  );
}

function Cost({ run: { cost, requests, charged, charge_unknown: unknown } }: { readonly run: Run }) {
  return (
    <Two>
      {cost.length === 0 ? <span class="dim">–</span> : <span>{cost.join(", ")}</span>}
      {unknown > 0 ? (
        <span class="outcome-unknown">
          <Shape of="unknown" /> <span class="runs-settle">{`${unknown} to settle`}</span>
        </span>
      ) : (
        <span class="dim runs-more">{requests === 0 ? "nothing sent" : `${charged} of ${requests} charged`}</span>
      )}
    </Two>
  );
}

/** With a source in the filter, also the duration of its call. */
function Duration({ run, source }: { readonly run: Run; readonly source: string | undefined }) {
  const call = source === undefined ? undefined : run.outcomes.find((one) => one.source === source);
  if (call === undefined) return <Took ms={run.took_ms} />;
  return (
    <Two>
      <Took ms={call.took_ms} />
      <span class="dim runs-more">
        run <Took ms={run.took_ms} />
      </span>
    </Two>
  );
}

/** Two short lines: the main value, and its details. */
function Two({ children }: { readonly children: ComponentChildren }) {
  return <div class="runs-two">{children}</div>;
}
