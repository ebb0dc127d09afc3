import type { ComponentChildren } from "preact";
import { hrefOf } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import { useNames } from "../../api/use-names.ts";
import type { VerbState } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Ended, Faults } from "../../parts/activity.tsx";
import { Facts, type NamedValue } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { Count, Time, Took } from "../../parts/values.tsx";

export type Activity = ResultOf<"ledger activity">["activity"][number];

interface LastDayProps {
  readonly source: string;
  readonly of: VerbState<ResultOf<"ledger activity">>;
}

/** Outcomes and durations of the calls of the last day, and open circuit breakers. */
export function LastDay({ source, of: { result, error, reload } }: LastDayProps) {
  const activity = result?.activity.find((each) => each.source === source);
  return (
    <Section title="The last day" actions={<a href={hrefOf("/runs", { source })}>Show the runs</a>}>
      <NotCalledNow source={source} />
      {error && <Failure error={error} retry={reload} />}
      {result && activity === undefined && (
        <p class="dim">No run called this source in the last day, except simulated runs.</p>
      )}
      {activity && <Facts of={factsOf(activity)} />}
    </Section>
  );
}

function factsOf(activity: Activity): readonly NamedValue[] {
  const facts: readonly (readonly [title: string, value: ComponentChildren])[] = [
    ["Calls", <Count of={activity.calls} />],
    ["Found", <Ended kind="found" count={activity.match} of={activity.calls} />],
    ["No record", <Ended kind="no_record" count={activity.no_match} of={activity.calls} />],
    ["Failed", <Ended kind="failed" count={activity.failed} of={activity.calls} />],
    ["Rejected by datarun", <Ended kind="off" count={activity.rejected} of={activity.calls} />],
    ["Without credential", <Ended kind="off" count={activity.no_credential} of={activity.calls} />],
    ...(activity.unknown === 0
      ? []
      : [["Unknown", <Ended kind="unknown" count={activity.unknown} of={activity.calls} />] as const]),
    ["p50", <Took ms={activity.p50_ms} />],
    ["p99", <Took ms={activity.p99_ms} />],
    [
      "Last call",
      <>
        <Time at={activity.last_at} />, {lastOutcomeText(activity.last)}
      </>,
    ],
    ...(Object.keys(activity.failures).length === 0 ? [] : [["Faults", <Faults of={activity.failures} />] as const]),
    [activity.complete ? "Counted from" : "Counted only from", <Time at={activity.counted_from} />],
  ];
  return facts.map(([title, value]) => ({ title, value }));
}

const OUTCOMES: Readonly<Record<string, string>> = { match: "found", no_match: "no record", unknown: "unknown" };

/** The outcome or the fault of the last call. */
function lastOutcomeText(last: string): string {
  return OUTCOMES[last] ?? last;
}

/** Circuit breakers of the process that answers. */
function NotCalledNow({ source }: { readonly source: string }) {
  const { event, problem } = useLive();
  const open = event?.breakers.filter((breaker) => breaker.source === source) ?? [];
  const names = useNames(open.map(({ organization_tuid: org }) => org));
  return (
    <div role="status" data-live={event === undefined ? "no" : "yes"}>
      {open.length === 0 && (
        <p class="dim">
          {problem?.message ?? (event === undefined ? "…" : "No circuit breaker is open in this process.")}
        </p>
      )}
      {open.map(({ organization_tuid: org, open_ms: ms }, at) => (
        <p key={at}>
          <Outcome kind="failed" says="Blocked" /> for{" "}
          <a href={hrefOf("/access", { org })} title={org}>
            <bdi>{names?.get(org) ?? org}</bdi>
          </a>
          for <Took ms={ms} />: most calls to its vendor fail.
        </p>
      ))}
    </div>
  );
}
