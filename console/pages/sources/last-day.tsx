import type { ComponentChildren } from "preact";
import { hrefOf } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import { useNames } from "../../api/use-names.ts";
import type { Asked } from "../../api/use-verb.ts";
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
  readonly of: Asked<ResultOf<"ledger activity">>;
}

/** How the calls of the last day ended and how long they took, and whether it is called at all now. */
export function LastDay({ source, of: { result, error, reload } }: LastDayProps) {
  const activity = result?.activity.find((each) => each.source === source);
  return (
    <Section title="The last day" actions={<a href={hrefOf("/runs", { source })}>Its runs</a>}>
      <NotCalledNow source={source} />
      {error && <Failure error={error} retry={reload} />}
      {result && activity === undefined && (
        <p class="dim">No run called it in the last day, apart from simulated ones.</p>
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
      : [["Not known", <Ended kind="unknown" count={activity.unknown} of={activity.calls} />] as const]),
    ["p50", <Took ms={activity.p50_ms} />],
    ["p99", <Took ms={activity.p99_ms} />],
    [
      "Last call",
      <>
        <Time at={activity.last_at} />, {sayOutcome(activity.last)}
      </>,
    ],
    ...(Object.keys(activity.failures).length === 0 ? [] : [["Faults", <Faults of={activity.failures} />] as const]),
    [activity.complete ? "Counted from" : "Only since", <Time at={activity.counted_from} />],
  ];
  return facts.map(([title, value]) => ({ title, value }));
}

const OUTCOMES: Readonly<Record<string, string>> = { match: "found", no_match: "no record", unknown: "not known" };

/** A call ended with an outcome or a fault. */
function sayOutcome(last: string): string {
  return OUTCOMES[last] ?? last;
}

/** Breakers are those of the process that answers. */
function NotCalledNow({ source }: { readonly source: string }) {
  const { event, problem } = useLive();
  const open = event?.breakers.filter((breaker) => breaker.source === source) ?? [];
  const names = useNames(open.map(({ organization_tuid: org }) => org));
  return (
    <div role="status" data-live={event === undefined ? "no" : "yes"}>
      {open.length === 0 && (
        <p class="dim">{problem?.message ?? (event === undefined ? "…" : "No breaker of this process is open.")}</p>
      )}
      {open.map(({ organization_tuid: org, open_ms: ms }, at) => (
        <p key={at}>
          <Outcome kind="failed" says="Not called now" /> for{" "}
          <a href={hrefOf("/access", { org })} title={org}>
            <bdi>{names?.get(org) ?? org}</bdi>
          </a>
          , since <Took ms={ms} />: its vendor mostly fails.
        </p>
      ))}
    </div>
  );
}
