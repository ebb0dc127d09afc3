import type { ComponentChildren } from "preact";
import { hrefOf } from "../../address.ts";
import type { VerbState } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Ended, Faults } from "../../parts/activity.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { Count, Time, Took } from "../../parts/values.tsx";

export type FunctionActivity = ResultOf<"function activity">["activity"][number];

interface FunctionLastDayProps {
  readonly id: string;
  readonly of: VerbState<ResultOf<"function activity">>;
}

/** Outcomes and durations of the runs of the last day. */
export function FunctionLastDay({ id, of: { result, error, reload } }: FunctionLastDayProps) {
  const activity = result?.activity[0];
  return (
    <Section title="The last day" actions={<a href={hrefOf("/runs", { function: id })}>Show the runs</a>}>
      {error && <Failure error={error} retry={reload} />}
      {result && activity === undefined && (
        <p class="dim">No run of this function in the last day, except simulated runs.</p>
      )}
      {activity && <Facts of={factsOf(activity).map(([title, value]) => ({ title, value }))} />}
    </Section>
  );
}

function factsOf(of: FunctionActivity): readonly (readonly [title: string, value: ComponentChildren])[] {
  return [
    ["Runs", <Count of={of.runs} />],
    ["Answered", <Ended kind="found" count={of.answered} of={of.runs} />],
    ["Failed", <Ended kind="failed" count={of.failed} of={of.runs} />],
    ["Rejected by datarun", <Ended kind="off" count={of.rejected} of={of.runs} />],
    ...(of.unknown === 0 ? [] : [["Interrupted", <Ended kind="unknown" count={of.unknown} of={of.runs} />] as const]),
    ["p50", <Took ms={of.p50_ms} />],
    ["p99", <Took ms={of.p99_ms} />],
    [
      "Last run",
      <>
        <Time at={of.last_at} />, {of.last === "unknown" ? "interrupted" : of.last}
      </>,
    ],
    ...(Object.keys(of.failures).length === 0 ? [] : [["Faults", <Faults of={of.failures} />] as const]),
    [of.complete ? "Counted from" : "Counted only from", <Time at={of.counted_from} />],
  ];
}
