import type { History } from "../../api/use-history.ts";
import { FailedCount } from "../activity.tsx";
import { BarChart } from "../charts/bar-chart.tsx";
import { LineChart } from "../charts/line-chart.tsx";
import { Table, type Column } from "../table.tsx";
import type { TimeRange } from "../time-range.tsx";
import { Count, Took, tookText } from "../values.tsx";
import { knownFrom, p95ByGroup, seriesByGroup } from "./history-figures.ts";
import { failedOf } from "./history-sums.ts";

type Group = History["groups"][number];

export interface VersionHistoryProps {
  readonly range: TimeRange;
  /** By version. */
  readonly history: History;
}

/** Whether a new version fails more, or is slower. */
export function VersionHistory({ range, history }: VersionHistoryProps) {
  const { axis, says } = range;
  const now = Date.now();
  const common = { axis, knownFrom: knownFrom(history), nothing: "No run in this time." };
  return (
    <div class="stack">
      <div class="history-charts">
        <section aria-label="Runs by version">
          <h3>Runs by version</h3>
          <BarChart
            {...common}
            says={`Runs by version, ${says}`}
            series={seriesByGroup(axis, history, now, labelOf)}
            format={(count) => count.toLocaleString("en-GB")}
          />
        </section>
        <section aria-label="Duration by version">
          <h3>Duration by version, 95th percentile</h3>
          <LineChart
            {...common}
            says={`95th percentile of the duration by version, ${says}`}
            series={p95ByGroup(axis, history, now, labelOf)}
            format={tookText}
          />
        </section>
      </div>
      <Table caption="Runs by version" columns={COLUMNS} rows={history.groups} keyOf={({ key }) => key} />
    </div>
  );
}

const COLUMNS: readonly Column<Group>[] = [
  { title: "Version", show: (group) => labelOf(group) },
  { title: "Runs", isNumber: true, show: ({ total }) => <Count of={total.calls} /> },
  { title: "Failed", isNumber: true, show: ({ total }) => <FailedCount of={failedOf(total)} /> },
  { title: "p50", isNumber: true, show: ({ total }) => <Took ms={total.p50_ms} /> },
  { title: "p95", isNumber: true, show: ({ total }) => <Took ms={total.p95_ms} /> },
  { title: "p99", isNumber: true, show: ({ total }) => <Took ms={total.p99_ms} /> },
];

function labelOf({ number, key }: Group): string {
  if (number !== null && number !== undefined) return `version ${number}`;
  return key === "" ? "unknown version" : key.slice(0, 12);
}
