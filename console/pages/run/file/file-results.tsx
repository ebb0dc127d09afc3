import { save } from "../../../api/download.ts";
import { Button } from "../../../parts/button.tsx";
import { Failure } from "../../../parts/failure.tsx";
import { hrefOfObject } from "../../../parts/object-link.tsx";
import { Outcome } from "../../../parts/outcome.tsx";
import { Section } from "../../../parts/page.tsx";
import { type Column, Table } from "../../../parts/table.tsx";
import { Badge } from "../../../parts/values.tsx";
import { entriesOf, withoutPrefix } from "../answer.ts";
import { mayHaveStarted } from "../current-run.ts";
import { type FileRun, type RowResult, stopFileRun } from "./file-run.ts";
import { toCsv, toJsonLines } from "./results-file.ts";

/** Rows in the table; the files have all of them. */
const SHOWN = 200;

/** More sources share a column, because a table of twenty fits no window. */
const COLUMNS_MAX = 3;

/** The progress and the results of the runs of a file. */
export function FileResults({ run }: { readonly run: FileRun }) {
  const { fileName, isSimulated, sources, results, state, stoppedBy } = run;
  const ended = results.filter((one) => one.state === "answered" || one.state === "failed").length;
  const left = results.filter((one) => one.state === "waiting").length;
  const isDone = state === "ended";
  const name = fileName.replace(/\.[^.]*$/, "");
  const download = (text: string, type: string, ending: string) =>
    save(new Blob([text], { type }), `${name}.results.${ending}`);
  return (
    <Section
      title={`Results of ${fileName}`}
      actions={isSimulated && <Badge kind="simulated">simulated: invented data</Badge>}
    >
      <p role="status">
        {isDone ? (
          <>
            {left === 0
              ? `All ${results.length} rows have ended.`
              : `${ended} of ${results.length} rows have ended, and ${left} were not run.`}
          </>
        ) : (
          <>
            <Outcome kind="waiting" says={state === "stopping" ? "Stopping." : "In progress."} /> {ended} of{" "}
            {results.length} rows have ended.
          </>
        )}
      </p>
      <progress class="run-progress" max={results.length} value={ended} aria-label="Rows that have ended" />
      {stoppedBy !== undefined && stoppedBy !== "person" && <Failure error={stoppedBy} />}
      <div class="beside">
        {state === "under way" && <Button onClick={stopFileRun}>Stop</Button>}
        {ended > 0 && (
          <>
            <Button onClick={() => download(toCsv(run), "text/csv", "csv")}>Save as CSV</Button>
            <Button onClick={() => download(toJsonLines(run), "application/jsonl", "jsonl")}>Save as JSON lines</Button>
          </>
        )}
      </div>
      {!isDone && (
        <p class="dim">
          {state === "stopping"
            ? "The rows that were started are finished, because vendors may bill them."
            : "You can go to other pages of the console and return. If you close or reload this page, no further row is run, and the outputs are lost, because they are not stored."}
        </p>
      )}
      {results.length > SHOWN && <p class="dim">The first {SHOWN} rows are shown. The saved files have all of them.</p>}
      <Table
        caption="Results by row"
        columns={columnsOf(sources)}
        rows={results.slice(0, SHOWN)}
        keyOf={({ row }) => String(row)}
        layout={sources.length > COLUMNS_MAX ? undefined : "run-results"}
      />
    </Section>
  );
}

function columnsOf(sources: readonly string[]): readonly Column<RowResult>[] {
  return [
    { title: "Row", isNumber: true, show: ({ row }) => row },
    ...(sources.length > COLUMNS_MAX
      ? [{ title: "Outcomes", show: (result: RowResult) => <OfSources ids={sources} {...result} /> }]
      : sources.map((id) => ({ title: id, show: (result: RowResult) => <OfSource id={id} {...result} /> }))),
    { title: "Run", show: (result) => <RunLink {...result} /> },
  ];
}

function OfSources({ ids, ...result }: RowResult & { readonly ids: readonly string[] }) {
  return (
    <div>
      {ids.map((id) => (
        <div key={id}>
          <code>{id}</code> <OfSource id={id} {...result} />
        </div>
      ))}
    </div>
  );
}

function OfSource({ id, state, answer }: RowResult & { readonly id: string }) {
  if (state === "waiting") return <span class="dim">waiting</span>;
  if (state === "under way") return <Outcome kind="waiting" />;
  const entry = answer && entriesOf(answer, { sources: [] })?.find((one) => one.id === id);
  if (entry === undefined) return <Outcome kind="failed" says="no answer" />;
  return (
    <>
      <Outcome kind={entry.kind} says={entry.says} />
      {entry.message !== "" && <span class="dim"> {withoutPrefix(entry.message)}</span>}
    </>
  );
}

function RunLink({ answer, error }: RowResult) {
  const transaction = answer?.["transaction_id"];
  if (typeof transaction === "string") return <a href={hrefOfObject("run", transaction)}>Timeline</a>;
  if (error === undefined) return null;
  return (
    <>
      {error.message}
      {mayHaveStarted(error) && " It may have run anyway: look at the runs of the workflow before you run it again."}
    </>
  );
}
