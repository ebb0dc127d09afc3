import { hrefOf } from "../../address.ts";
import { useLive } from "../../api/live.ts";
import type { History } from "../../api/use-history.ts";
import { useNames } from "../../api/use-names.ts";
import type { VerbState } from "../../api/use-verb.ts";
import { HistorySummary } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { TimeRangeControl, type TimeRange } from "../../parts/time-range.tsx";
import { Took } from "../../parts/values.tsx";

interface SourceHistoryProps {
  readonly source: string;
  readonly timeoutMs: number;
  readonly range: TimeRange;
  readonly of: VerbState<History>;
}

/** Outcomes, durations and cost of the calls of a time range, and open circuit breakers. */
export function SourceHistory({
  source,
  timeoutMs,
  range,
  of: { result, isCurrent, error, reload },
}: SourceHistoryProps) {
  return (
    <Section
      title="Calls"
      actions={
        <>
          <TimeRangeControl range={range} />
          <a href={hrefOf("/runs", { source, ...range.query })}>Show the runs</a>
        </>
      }
    >
      <NotCalledNow source={source} />
      {error && <Failure error={error} retry={reload} />}
      <HistorySummary
        range={range}
        history={isCurrent ? result : undefined}
        unit="calls"
        timeoutMs={timeoutMs}
        withCost
      />
    </Section>
  );
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
