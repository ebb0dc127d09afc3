import { hrefOf } from "../../address.ts";
import type { History } from "../../api/use-history.ts";
import type { VerbState } from "../../api/use-verb.ts";
import { HistorySummary, VersionHistory } from "../../parts/chart.tsx";
import { Failure } from "../../parts/failure.tsx";
import { Section } from "../../parts/page.tsx";
import { TimeRangeControl, type TimeRange } from "../../parts/time-range.tsx";

interface FunctionHistoryProps {
  readonly id: string;
  readonly timeoutMs: number;
  readonly range: TimeRange;
  /** By version. */
  readonly of: VerbState<History>;
}

/** Outcomes and durations of the runs of a time range, all together and by version. */
export function FunctionHistory({
  id,
  timeoutMs,
  range,
  of: { result, isCurrent, error, reload },
}: FunctionHistoryProps) {
  const history = isCurrent ? result : undefined;
  return (
    <Section
      title="Runs"
      actions={
        <>
          <TimeRangeControl range={range} />
          <a href={hrefOf("/runs", { function: id, ...range.query })}>Show the runs</a>
        </>
      }
    >
      {error && <Failure error={error} retry={reload} />}
      <HistorySummary range={range} history={history} unit="runs" timeoutMs={timeoutMs} />
      {history && history.groups.length > 1 && <VersionHistory range={range} history={history} />}
    </Section>
  );
}
