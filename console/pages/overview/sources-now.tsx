import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import { Empty } from "../../parts/empty.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Spark } from "../../parts/spark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { mayUse } from "../../session.ts";
import { Badge, Count, Id, Took } from "../../parts/values.tsx";

export type TimeWindow = "minute" | "hour";

interface SourcesNowProps extends Pick<LiveEvent, "sources" | "breakers"> {
  /** Number of simulated runs in the last hour. Their calls do not count for a source. */
  readonly simulated: number;
  readonly timeWindow: TimeWindow;
  /** `last hour`, or the time since which the process counts. */
  readonly hour: string;
}

/** The name under which the service counts calls of sources that do not exist or are off. */
const OF_NO_SOURCE = "(unknown)";

/** Outcomes of the recent calls of each source. */
export function SourcesNow({ sources, breakers, simulated, timeWindow, hour }: SourcesNowProps) {
  const when = hour === "last hour" ? "in the last hour" : hour;
  if (sources.length === 0)
    return (
      <Empty
        title={
          simulated === 0
            ? `This process has called no source ${when}.`
            : `This process has simulated ${simulated === 1 ? "one run" : `${simulated} runs`} ${when}, and made no live call.`
        }
        command="datarun source run SOURCE --workflow WORKFLOW --set NAME=VALUE"
      >
        {mayUse("workflow run") && (
          <>
            <a href={hrefOf("/run", { with: "examples" })}>Run five sources with examples</a>.{" "}
          </>
        )}
        A live run of this process appears here within a second. <a href={hrefOf("/sources")}>Sources</a> shows the
        calls of the last day, of all processes.
      </Empty>
    );
  const open = new Set(breakers.map(({ source }) => source));
  return (
    <Table
      caption={`Calls of each source ${timeWindow === "hour" ? when : "in the last minute"}`}
      columns={columnsOf(timeWindow, open, hour)}
      rows={sources}
      keyOf={({ source }) => source}
    />
  );
}

type Row = LiveEvent["sources"][number];

function columnsOf(timeWindow: TimeWindow, open: ReadonlySet<string>, hour: string): readonly Column<Row>[] {
  const number = (title: string, which: "calls" | "match" | "no_match"): Column<Row> => ({
    title,
    isNumber: true,
    show: (row) => <Count of={row[timeWindow][which]} />,
  });
  return [
    {
      title: "Source",
      show: ({ source }) => (
        <span class="beside">
          {source === OF_NO_SOURCE ? (
            <span class="dim">sources that do not exist or are off</span>
          ) : (
            <Id href={hrefOf(`/sources/${encodeURIComponent(source)}`)}>{source}</Id>
          )}
          {open.has(source) && <Badge kind="failed">blocked</Badge>}
        </span>
      ),
    },
    number("Calls", "calls"),
    number("Found", "match"),
    number("No record", "no_match"),
    {
      title: "Failed",
      isNumber: true,
      show: ({ [timeWindow]: { failed } }) =>
        failed === 0 ? <Count of={0} /> : <Outcome kind="failed" says={failed.toLocaleString("en-GB")} />,
    },
    // Includes calls that datarun rejected and calls without a credential. Nothing was sent for either. The page of the
    // source shows them separately.
    {
      title: "Rejected",
      isNumber: true,
      show: ({ [timeWindow]: { rejected, no_credential } }) => <Count of={rejected + no_credential} />,
    },
    { title: "p50", isNumber: true, show: (row) => <Took ms={row[timeWindow].p50_ms} /> },
    { title: "p99", isNumber: true, show: (row) => <Took ms={row[timeWindow].p99_ms} /> },
    {
      title: hour.charAt(0).toUpperCase() + hour.slice(1),
      show: ({ last_hour: { calls, failed } }) => <Spark all={calls} part={failed} />,
    },
  ];
}
