import { useEffect, useRef } from "preact/hooks";
import { hrefOf } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import { useHistory } from "../../api/use-history.ts";
import { useObjects } from "../../api/use-names.ts";
import { useTogether } from "../../api/use-together.ts";
import { HistorySummary, useCharts } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Loading } from "../../parts/list.tsx";
import { Outcome, Shape } from "../../parts/outcome.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { TimeRangeControl, useTimeRange } from "../../parts/time-range.tsx";
import type { LiveEvent } from "../../api/verbs.ts";
import { AttentionNow, idsOfAttention } from "./attention-now.tsx";
import { BudgetsNow, idsOfBudgets } from "./budgets-now.tsx";
import { FiguresNow, idsOfBreakers } from "./figures-now.tsx";
import { Count } from "../../parts/values.tsx";
import { SourcesOfRange } from "./sources-of-range.tsx";
import { lastHourText, startText } from "./since-start.ts";
import "./overview.css";

/** The current state of the process, and the conditions that need attention. */
export function OverviewPage() {
  const { event, problem } = useLive();
  return (
    <Page
      title="Overview"
      about={
        problem !== undefined ? (
          <Problem says={problem.message} />
        ) : (
          <>
            Charts show the ledger, with the runs of all processes. Figures of the last minute are those of this
            process.{event && ` It started ${startText(event)}.`}
          </>
        )
      }
      actions={<Pulse at={event?.at} isLive={problem === undefined} />}
    >
      {event && <Now event={event} />}
    </Page>
  );
}

/** Replaces the sentence about the page, so that the figures do not move. */
function Problem({ says }: { readonly says: string }) {
  return (
    <span role="alert" class="outcome-failed">
      <Shape of="failed" /> {says} Trying again.
    </span>
  );
}

function Now({ event }: { readonly event: LiveEvent }) {
  const objects = useObjects([
    ...idsOfAttention(event.attention),
    ...idsOfBudgets(event.budgets),
    ...idsOfBreakers(event.breakers),
  ]);
  const history = useRange(event);
  const { all, sources } = history;
  // What arrives late would shift the content below.
  const isPlaced = useTogether(objects);
  const isWhole = useTogether(objects, all.result ?? all.error, sources.result ?? sources.error, useCharts());
  if (!isPlaced) return null;
  const known = objects ?? new Map();
  return (
    <>
      <AttentionNow items={event.attention} objects={known} />
      <FiguresNow event={event} objects={known} />
      {isWhole ? (
        <>
          <RangeNow event={event} {...history} />
          <Section title="Budgets">
            <BudgetsNow budgets={event.budgets} objects={known} />
          </Section>
        </>
      ) : (
        <Loading />
      )}
    </>
  );
}

/** The calls of a time range, from the ledger: of all sources together, and of those that are called most. */
function RangeNow({ event, range, all, sources }: { readonly event: LiveEvent } & ReturnType<typeof useRange>) {
  const unknown = event.sources.find(({ source }) => source === OF_NO_SOURCE)?.hour.calls ?? 0;
  return (
    <>
      <Section title="Calls" actions={<TimeRangeControl range={range} />}>
        {all.error && <Failure error={all.error} retry={all.reload} />}
        <HistorySummary range={range} history={all.isCurrent ? all.result : undefined} unit="calls" />
      </Section>
      <Section title="Sources" actions={<a href={hrefOf("/sources", range.query)}>All sources, by time</a>}>
        <SourcesOfRange
          history={sources.result}
          range={range}
          breakers={event.breakers}
          simulated={event.runs.hour.simulated}
        />
        {unknown > 0 && (
          <p class="dim">
            <Count of={unknown} /> {unknown === 1 ? "call" : "calls"} to this process {lastHourText(event)} named a
            source that does not exist or is off. The ledger has no such calls.
          </p>
        )}
      </Section>
    </>
  );
}

/** The history of the range, which is read again after runs of this process. */
function useRange({ runs: { minute, under_way: underWay } }: LiveEvent) {
  const range = useTimeRange();
  const all = useHistory(range, { by: "all" });
  const sources = useHistory(range, { by: "source", limit: SOURCES_MAX });
  const isFirst = useRef(true);
  useEffect(() => {
    if (isFirst.current) return void (isFirst.current = false);
    const timer = setTimeout(() => {
      all.reload();
      sources.reload();
    }, SETTLES_MS);
    return () => clearTimeout(timer);
  }, [minute.runs, underWay]);
  return { range, all, sources };
}

const SOURCES_MAX = 10;
/** The name under which the service counts calls of sources that do not exist or are off. */
const OF_NO_SOURCE = "(unknown)";
/** Within this time an ended run has reached the ledger. */
const SETTLES_MS = 1_500;

const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", timeZone: "UTC" });

/** Shows whether the figures are current, or their time. Both texts have the same width. */
function Pulse({ at, isLive }: { readonly at: string | undefined; readonly isLive: boolean }) {
  const time = at === undefined ? "--:--:--" : CLOCK.format(new Date(at));
  return (
    <p class="pulse" data-live={at !== undefined && isLive ? "yes" : "no"}>
      {isLive ? (
        <Outcome kind={at === undefined ? "waiting" : "found"} says="live" />
      ) : (
        <Outcome kind="failed" says="as of" />
      )}{" "}
      <span class="dim">{time} UTC</span>
    </p>
  );
}
