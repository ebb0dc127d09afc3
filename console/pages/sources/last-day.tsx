import type { ComponentChildren } from "preact";
import { hrefOf } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import type { Asked } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Facts, type NamedValue } from "../../parts/facts.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { Count, Id, Time, Took } from "../../parts/values.tsx";

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
      {result && activity === undefined && <p class="dim">No run called it in the last day.</p>}
      {activity && <Facts of={factsOf(activity)} />}
    </Section>
  );
}

function factsOf(activity: Activity): readonly NamedValue[] {
  const faults = Object.entries(activity.failures);
  const facts: readonly (readonly [title: string, value: ComponentChildren])[] = [
    ["Calls", <Count of={activity.calls} />],
    ["Found", <Ended kind="found" calls={activity.match} of={activity.calls} />],
    ["No record", <Ended kind="no_record" calls={activity.no_match} of={activity.calls} />],
    ["Failed", <Ended kind="failed" calls={activity.failed} of={activity.calls} />],
    ...(activity.unknown === 0
      ? []
      : [["Not known", <Ended kind="unknown" calls={activity.unknown} of={activity.calls} />] as const]),
    ["p50", <Took ms={activity.p50_ms} />],
    ["p99", <Took ms={activity.p99_ms} />],
    [
      "Last call",
      <>
        <Time at={activity.last_at} />, {sayOutcome(activity.last)}
      </>,
    ],
    ...(faults.length === 0 ? [] : [["Failures", <Faults of={faults} />] as const]),
    [activity.complete ? "Counted from" : "Only since", <Time at={activity.counted_from} />],
  ];
  return facts.map(([title, value]) => ({ title, value }));
}

interface EndedProps {
  readonly kind: "found" | "no_record" | "failed" | "unknown";
  readonly calls: number;
  readonly of: number;
}

/** A count with its share, and its shape only if there is any. */
function Ended({ kind, calls, of }: EndedProps) {
  if (calls === 0) return <Count of={0} />;
  return <Outcome kind={kind} says={`${calls.toLocaleString("en-GB")} (${Math.round((100 * calls) / of)} %)`} />;
}

function Faults({ of }: { readonly of: readonly (readonly [code: string, calls: number])[] }) {
  return (
    <ul>
      {of.map(([code, calls]) => (
        <li key={code}>
          <Count of={calls} /> <code>{code}</code>
        </li>
      ))}
    </ul>
  );
}

const OUTCOMES: Readonly<Record<string, string>> = { match: "found", no_match: "no record", unknown: "not known" };

/** A call ended with an outcome or a fault. */
function sayOutcome(last: string): string {
  return OUTCOMES[last] ?? last;
}

/** Breakers are those of the machine that answers. */
function NotCalledNow({ source }: { readonly source: string }) {
  const { event, problem } = useLive();
  const open = event?.breakers.filter((breaker) => breaker.source === source) ?? [];
  return (
    <div role="status" data-live={event === undefined ? "no" : "yes"}>
      {open.length === 0 && (
        <p class="dim">{problem?.message ?? (event === undefined ? "…" : "No breaker is open.")}</p>
      )}
      {open.map(({ organization_tuid: org, open_ms: ms }, at) => (
        <p key={at}>
          <Outcome kind="failed" says="Not called now" /> for <Id href={hrefOf("/access", { org })}>{org}</Id>, since{" "}
          <Took ms={ms} />: its vendor mostly fails.
        </p>
      ))}
    </div>
  );
}
