import { hrefOf } from "../../address.ts";
import type { History } from "../../api/use-history.ts";
import type { LiveEvent } from "../../api/verbs.ts";
import { FailedCount } from "../../parts/activity.tsx";
import { Empty } from "../../parts/empty.tsx";
import { failedOf, rejectedOf } from "../../parts/history/history-sums.ts";
import { Table, type Column } from "../../parts/table.tsx";
import type { TimeRange } from "../../parts/time-range.tsx";
import { Badge, Count, Id, Took } from "../../parts/values.tsx";
import { mayUse } from "../../session.ts";

interface SourcesOfRangeProps extends Pick<LiveEvent, "breakers"> {
  /** By source; `undefined` while loading. */
  readonly history: History | undefined;
  readonly range: TimeRange;
  /** Number of simulated runs of this process in the last hour. Their calls do not count for a source. */
  readonly simulated: number;
}

/** Outcomes and durations of the calls of each source, most calls first. */
export function SourcesOfRange({ history, range, breakers, simulated }: SourcesOfRangeProps) {
  if (history === undefined) return <p class="dim">Loading…</p>;
  if (history.groups.length === 0)
    return (
      <Empty
        title={
          simulated === 0
            ? `No source was called in ${range.says}.`
            : `${simulated === 1 ? "One run was" : `${simulated} runs were`} simulated in the last hour, and no source was called in ${range.says}.`
        }
        command="datarun source run SOURCE --workflow WORKFLOW --set NAME=VALUE"
      >
        {mayUse("workflow run") && (
          <>
            <a href={hrefOf("/run", { with: "examples" })}>Run five sources with examples</a>.{" "}
          </>
        )}
        A live run appears here within seconds.
      </Empty>
    );
  const open = new Set(breakers.map(({ source }) => source));
  return (
    <>
      <Table
        caption={`Calls of each source in ${range.says}`}
        columns={columnsOf(range, open)}
        rows={history.groups}
        keyOf={({ key }) => key}
      />
      {history.more_groups > 0 && (
        <p class="dim">
          and <Count of={history.more_groups} /> more sources with fewer calls
        </p>
      )}
    </>
  );
}

type Row = History["groups"][number];

function columnsOf(range: TimeRange, open: ReadonlySet<string>): readonly Column<Row>[] {
  return [
    {
      title: "Source",
      isName: true,
      show: ({ key }) => (
        <span class="beside">
          <Id href={hrefOf(`/sources/${encodeURIComponent(key)}`, range.query)}>{key}</Id>
          {open.has(key) && <Badge kind="failed">blocked</Badge>}
        </span>
      ),
    },
    { title: "Calls", isNumber: true, show: ({ total }) => <Count of={total.calls} /> },
    { title: "Failed", isNumber: true, show: ({ total }) => <FailedCount of={failedOf(total)} /> },
    { title: "Rejected by datarun", isNumber: true, show: ({ total }) => <Count of={rejectedOf(total)} /> },
    { title: "No credential", isNumber: true, show: ({ total }) => <Count of={total.no_credential} /> },
    { title: "p50", isNumber: true, show: ({ total }) => <Took ms={total.p50_ms} /> },
    { title: "p95", isNumber: true, show: ({ total }) => <Took ms={total.p95_ms} /> },
    { title: "p99", isNumber: true, show: ({ total }) => <Took ms={total.p99_ms} /> },
  ];
}
