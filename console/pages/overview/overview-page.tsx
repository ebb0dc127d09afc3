import { address, hrefOf, setQuery } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import { useObjects } from "../../api/use-names.ts";
import { useTogether } from "../../api/use-together.ts";
import { Button } from "../../parts/button.tsx";
import { Outcome, Shape } from "../../parts/outcome.tsx";
import { Page, Section } from "../../parts/page.tsx";
import type { LiveEvent } from "../../api/verbs.ts";
import { AttentionNow, idsOfAttention } from "./attention-now.tsx";
import { BudgetsNow, idsOfBudgets } from "./budgets-now.tsx";
import { FiguresNow, idsOfBreakers } from "./figures-now.tsx";
import { LastHour } from "./last-hour.tsx";
import { SourcesNow, type TimeWindow } from "./sources-now.tsx";
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
            Activity of this process since it started{event && `, ${startText(event)}`}. For earlier runs and other
            processes, see the <a href={hrefOf("/runs")}>ledger</a>.
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
  // A name is shorter than an id and would shift the content below when it arrives.
  const isPlaced = useTogether(objects);
  const timeWindow: TimeWindow = address().query.get("of") === "minute" ? "minute" : "hour";
  if (!isPlaced) return null;
  const known = objects ?? new Map();
  const hour = lastHourText(event) === "in the last hour" ? "last hour" : lastHourText(event);
  return (
    <>
      <AttentionNow items={event.attention} objects={known} />
      <FiguresNow event={event} objects={known} />
      <LastHour event={event} />
      <Section
        title="Sources"
        actions={
          <div class="beside" role="group" aria-label="Period of the sources">
            <Button kind="quiet" pressed={timeWindow === "minute"} onClick={() => setQuery({ of: "minute" })}>
              Last minute
            </Button>
            <Button kind="quiet" pressed={timeWindow === "hour"} onClick={() => setQuery({ of: null })}>
              {hour.charAt(0).toUpperCase() + hour.slice(1)}
            </Button>
          </div>
        }
      >
        <SourcesNow
          sources={event.sources}
          hour={hour}
          breakers={event.breakers}
          simulated={event.runs.hour.simulated}
          timeWindow={timeWindow}
        />
      </Section>
      <Section title="Budgets">
        <BudgetsNow budgets={event.budgets} objects={known} />
      </Section>
    </>
  );
}

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
