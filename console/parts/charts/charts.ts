/* All charts and what consists of them, in a script that is loaded when the first of them is shown. */
export { BarChart } from "./bar-chart.tsx";
export { BurnDownChart } from "./burn-down-chart.tsx";
export { HeatMap } from "./heat-map.tsx";
export { LineChart } from "./line-chart.tsx";
export { HeatSection } from "../history/heat-section.tsx";
export { HistorySummary } from "../history/history-summary.tsx";
export { RunHistogram } from "../history/run-histogram.tsx";
export { VersionHistory } from "../history/version-history.tsx";
