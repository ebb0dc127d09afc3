import type * as AllCharts from "./charts/charts.ts";
import type { BarChartProps } from "./charts/bar-chart.tsx";
import type { BurnDownChartProps } from "./charts/burn-down-chart.tsx";
import type { HeatMapProps } from "./charts/heat-map.tsx";
import type { LineChartProps } from "./charts/line-chart.tsx";
import type { HeatSectionProps } from "./history/heat-section.tsx";
import type { HistorySummaryProps } from "./history/history-summary.tsx";
import type { RunHistogramProps } from "./history/run-histogram.tsx";
import type { VersionHistoryProps } from "./history/version-history.tsx";
import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { trackPending } from "../api/pending-requests.ts";
import { later } from "./later.tsx";

/* The charts. Until their code is loaded, each has an empty frame of its height. */

type Charts = typeof AllCharts;
let there: Charts | undefined;
const charts = async (): Promise<Charts> => (there ??= await import("./charts/charts.ts"));

/** Loads the code of the charts, so that a page can wait for it. `undefined` until it is there. */
export function useCharts(): true | undefined {
  const [isThere, setThere] = useState<true | undefined>(there && true);
  useEffect(() => {
    // A page does without charts whose code cannot be loaded, for instance because it is being left.
    const show = () => setThere(true);
    trackPending(charts()).then(show, show);
  }, []);
  return isThere;
}

function chart<Props extends object>(
  pick: (all: Charts) => FunctionComponent<Props>,
  blank?: FunctionComponent<Props>,
): FunctionComponent<Props> {
  return later<Props>(
    async () => pick(await charts()),
    blank,
    () => there && pick(there),
  );
}

const Blank = ({ height = 160 }: { readonly height?: number }) => (
  <figure class="chart" aria-hidden="true">
    <svg height={height} />
    <figcaption class="chart-below" />
  </figure>
);

/** Stacked bars, one for each step. With `onSelect` a range is selected by dragging or by keyboard. */
export const BarChart = chart<BarChartProps>(
  (all) => all.BarChart,
  () => <Blank />,
);

/** Lines over time, with gaps where nothing is known. */
export const LineChart = chart<LineChartProps>(
  (all) => all.LineChart,
  () => <Blank />,
);

/** A row for each subject and a coloured cell for each step. */
export const HeatMap = chart<HeatMapProps>(
  (all) => all.HeatMap,
  ({ rows }) => <Blank height={rows.length * 20 + 20} />,
);

/** What is left of a budget, with a forecast. */
export const BurnDownChart = chart<BurnDownChartProps>(
  (all) => all.BurnDownChart,
  () => <Blank height={181} />,
);

/** How calls or runs of a range ended, how long they took and what they cost. */
export const HistorySummary = chart<HistorySummaryProps>(
  (all) => all.HistorySummary,
  () => (
    <div class="history-charts">
      <Blank />
      <Blank />
    </div>
  ),
);

/** Which source had trouble when. */
export const HeatSection = chart<HeatSectionProps>((all) => all.HeatSection);

/** Runs by outcome, above the list of what is selected in it. */
export const RunHistogram = later<RunHistogramProps>(
  async () => (await charts()).RunHistogram,
  () => <Blank />,
);

/** The runs of a function by version. */
export const VersionHistory = chart<VersionHistoryProps>((all) => all.VersionHistory);
