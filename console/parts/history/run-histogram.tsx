import type { RunCounts } from "../../api/use-history.ts";
import { BarChart } from "../charts/bar-chart.tsx";
import type { Series } from "../charts/chart-props.ts";
import type { TimeAxis } from "../time-range-shape.ts";
import { setTimeRange, type TimeRange } from "../time-range.tsx";
import { valuesOf } from "./history-figures.ts";

export interface RunHistogramProps {
  readonly range: TimeRange;
  readonly counts: RunCounts | undefined;
}

/** Runs over the range by the worst outcome of their calls. Selecting a part sets the range of the page. */
export function RunHistogram({ range, counts }: RunHistogramProps) {
  const knownFrom = counts === undefined ? null : countedFrom(counts);
  return (
    <BarChart
      axis={range.axis}
      knownFrom={knownFrom}
      nothing={counts === undefined ? "Loading…" : "No run in this time."}
      says={`Runs by outcome, ${range.says}`}
      series={seriesOf(range.axis, counts?.points ?? [], knownFrom)}
      format={(count) => count.toLocaleString("en-GB")}
      onSelect={setTimeRange}
    />
  );
}

/** Runs before it are deleted, or too many to be counted; `null` while the ledger has no run. */
function countedFrom({ from, counted_from: counted, complete_from: complete }: RunCounts): number | null {
  if (complete === null) return null;
  return Math.max(Date.parse(complete), counted === from ? 0 : Date.parse(counted));
}

function seriesOf(axis: TimeAxis, points: RunCounts["points"], knownFrom: number | null): readonly Series[] {
  const now = Date.now();
  const series = SERIES.map(({ outcome, ...one }): Series => ({
    ...one,
    values: valuesOf(axis, knownFrom, points, now, (point) => point[outcome], 0),
  }));
  // The rare ones are named only if there are any.
  return series.filter(({ label, values }) => !RARE.has(label) || values.some((value) => (value ?? 0) > 0));
}

/** Failures stand on the axis. */
const SERIES = [
  { outcome: "no_calls", label: "no call", colour: "dim" },
  { outcome: "match", label: "found", colour: "found" },
  { outcome: "no_match", label: "no record", colour: "no-record" },
  { outcome: "unknown", label: "a call interrupted", colour: "unknown" },
  { outcome: "failed", label: "a call failed", colour: "failed" },
] as const;

const RARE: ReadonlySet<string> = new Set(["no call", "a call interrupted"]);
