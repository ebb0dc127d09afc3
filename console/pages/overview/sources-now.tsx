import type { LiveEvent } from "../../api/verbs.ts";
import { hrefOf } from "../../address.ts";
import { Empty } from "../../parts/empty.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Spark } from "../../parts/spark.tsx";
import { Table, type Column } from "../../parts/table.tsx";
import { mayUse } from "../../session.ts";
import { Badge, Count, Id, Took } from "../../parts/values.tsx";

export type Stretch = "minute" | "hour";

interface SourcesNowProps extends Pick<LiveEvent, "sources" | "breakers"> {
  /** How many runs of the last hour were: their calls are none of a source's. */
  readonly simulated: number;
  readonly stretch: Stretch;
  /** `last hour`, or since when the process counts. */
  readonly hour: string;
}

/** The name under which the service counts all calls that named a source which runs cannot ask. */
const OF_NO_SOURCE = "(unknown)";

/** How the recent calls of each source ended. */
export function SourcesNow({ sources, breakers, simulated, stretch, hour }: SourcesNowProps) {
  const when = hour === "last hour" ? "in the last hour" : hour;
  if (sources.length === 0)
    return (
      <Empty
        title={
          simulated === 0
            ? `This process has called no source ${when}.`
            : `This process has simulated ${simulated === 1 ? "one run" : `${simulated} runs`} ${when}, and called no source for real.`
        }
        command="datarun source run SOURCE --workflow WORKFLOW --set NAME=VALUE"
      >
        {mayUse("workflow run") && (
          <>
            <a href={hrefOf("/run", { with: "examples" })}>Ask five sources with examples</a>.{" "}
          </>
        )}
        A real run of this process shows up here within a second. <a href={hrefOf("/sources")}>Sources</a> has the calls
        of the last day, of every process.
      </Empty>
    );
  const open = new Set(breakers.map(({ source }) => source));
  return (
    <Table
      caption={`Calls of each source ${stretch === "hour" ? when : "in the last minute"}`}
      columns={columnsOf(stretch, open, hour)}
      rows={sources}
      keyOf={({ source }) => source}
    />
  );
}

type Row = LiveEvent["sources"][number];

function columnsOf(stretch: Stretch, open: ReadonlySet<string>, hour: string): readonly Column<Row>[] {
  const number = (title: string, which: "calls" | "match" | "no_match"): Column<Row> => ({
    title,
    isNumber: true,
    show: (row) => <Count of={row[stretch][which]} />,
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
          {open.has(source) && <Badge kind="failed">not called now</Badge>}
        </span>
      ),
    },
    number("Calls", "calls"),
    number("Found", "match"),
    number("No record", "no_match"),
    {
      title: "Failed",
      isNumber: true,
      show: ({ [stretch]: { failed } }) =>
        failed === 0 ? <Count of={0} /> : <Outcome kind="failed" says={failed.toLocaleString("en-GB")} />,
    },
    // By datarun itself, or because there was no credential: nothing was sent. The page of the source has both apart.
    {
      title: "Rejected",
      isNumber: true,
      show: ({ [stretch]: { rejected, no_credential } }) => <Count of={rejected + no_credential} />,
    },
    { title: "p50", isNumber: true, show: (row) => <Took ms={row[stretch].p50_ms} /> },
    { title: "p99", isNumber: true, show: (row) => <Took ms={row[stretch].p99_ms} /> },
    {
      title: hour.charAt(0).toUpperCase() + hour.slice(1),
      show: ({ last_hour: { calls, failed } }) => <Spark all={calls} part={failed} />,
    },
  ];
}
