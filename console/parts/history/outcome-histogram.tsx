import type { History } from "../../api/use-history.ts";
import { BarChart } from "../charts/bar-chart.tsx";
import { setTimeRange, type TimeRange } from "../time-range.tsx";
import { knownFrom, outcomeSeries, NO_HISTORY } from "./history-figures.ts";

export interface OutcomeHistogramProps {
  readonly range: TimeRange;
  readonly history: History | undefined;
  /** Only calls with this outcome, as `ledger list` names it. */
  readonly outcome?: string | undefined;
}

/** Calls by outcome over the range, for one group. Selecting a part sets the range of the page. */
export function OutcomeHistogram({ range, history, outcome }: OutcomeHistogramProps) {
  const shown = history ?? NO_HISTORY;
  const series = outcomeSeries(range.axis, shown, { unit: "calls", now: Date.now() });
  const labels = outcome === undefined ? undefined : LABELS[outcome];
  return (
    <BarChart
      axis={range.axis}
      knownFrom={knownFrom(shown)}
      nothing={history === undefined ? "Loading…" : "No call in this time."}
      says={`Calls by outcome, ${range.says}`}
      series={labels === undefined ? series : series.filter(({ label }) => labels.includes(label))}
      format={(count) => count.toLocaleString("en-GB")}
      onSelect={setTimeRange}
    />
  );
}

/** The labels of the series of an outcome. */
const LABELS: Readonly<Record<string, readonly string[]>> = {
  match: ["found"],
  no_match: ["no record"],
  failed: ["no credential", "rejected by datarun", "failed"],
  unknown: ["unknown"],
};
