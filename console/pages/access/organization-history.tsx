import { hrefOf } from "../../address.ts";
import type { History } from "../../api/use-history.ts";
import type { VerbState } from "../../api/use-verb.ts";
import { HistorySummary } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { failedOf, rejectedOf } from "../../parts/history/history-sums.ts";
import { Section } from "../../parts/page.tsx";
import { TimeRangeControl, type TimeRange } from "../../parts/time-range.tsx";
import { Count } from "../../parts/values.tsx";

interface OrganizationHistoryProps {
  readonly org: string;
  readonly range: TimeRange;
  readonly calls: VerbState<History>;
  /** By token. */
  readonly runs: VerbState<History>;
}

/** Runs and failures of an organization in one line, and its calls over time. */
export function OrganizationHistory({ org, range, calls, runs }: OrganizationHistoryProps) {
  const history = calls.isCurrent ? calls.result : undefined;
  const totals = runs.isCurrent ? runs.result?.groups.map(({ total }) => total) : undefined;
  const sum = (of: (total: NonNullable<typeof totals>[number]) => number) =>
    totals?.reduce((all, total) => all + of(total), 0) ?? 0;
  const count = sum(({ calls: each }) => each);
  return (
    <Section
      title="Activity"
      actions={
        <>
          <TimeRangeControl range={range} />
          <a href={hrefOf("/runs", { org, ...range.query })}>Show the runs</a>
        </>
      }
    >
      {calls.error && <Failure error={calls.error} retry={calls.reload} />}
      <p>
        {totals === undefined ? (
          "\u00a0"
        ) : (
          <>
            <Count of={count} /> {count === 1 ? "run" : "runs"}: <Count of={sum(failedOf)} /> failed,{" "}
            <Count of={sum(rejectedOf)} /> rejected by datarun
          </>
        )}
      </p>
      <HistorySummary range={range} history={history} unit="calls" withCost />
    </Section>
  );
}
