import type { VerbState } from "../../api/use-verb.ts";
import type { ResultOf } from "../../api/verb-types.ts";
import { Failure } from "../../parts/failure.tsx";
import { Outcome } from "../../parts/outcome.tsx";
import { Section } from "../../parts/page.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Badge, Count, Took } from "../../parts/values.tsx";

type Health = ResultOf<"source health">;
type Figure = Health["figures"][number];
type Drift = Health["drift"][number];

interface SourceHealthProps {
  readonly of: VerbState<Health>;
}

/** What has changed about the calls and replies of a source. */
export function SourceHealth({ of: { result, error, reload } }: SourceHealthProps) {
  return (
    <Section title="Health">
      <p class="dim">The last 24 hours, compared with the 28 days before.</p>
      {error && <Failure error={error} retry={reload} />}
      {result && (
        <>
          {isCalled(result) ? (
            <Table
              caption="Calls"
              columns={FIGURES}
              rows={result.figures.filter(isShown)}
              keyOf={({ figure }) => figure}
            />
          ) : (
            <p class="dim">No run called this source, except simulated runs.</p>
          )}
          <h3>Replies</h3>
          <p class="dim">{sampledText(result)}</p>
          {result.drift.length > 0 && (
            <Table caption="Changed paths" columns={DRIFT} rows={result.drift} keyOf={({ path }) => path} />
          )}
        </>
      )}
    </Section>
  );
}

const TITLES: Readonly<Record<string, string>> = {
  calls: "Calls",
  match_rate: "Match rate",
  failure_rate: "Failure rate",
  p95_ms: "p95",
};

function isShown({ figure }: Figure): boolean {
  return figure in TITLES;
}

function isCalled({ figures }: Health): boolean {
  const calls = figures.find(({ figure }) => figure === "calls");
  return calls !== undefined && (calls.now ?? 0) + (calls.before ?? 0) > 0;
}

const FIGURES: readonly Column<Figure>[] = [
  { title: "Figure", show: ({ figure }) => TITLES[figure] ?? figure },
  { title: "Now", isNumber: true, show: ({ figure, now }) => <Value figure={figure} of={now} /> },
  { title: "Before", isNumber: true, show: ({ figure, before }) => <Value figure={figure} of={before} /> },
  {
    title: "Change",
    show: ({ figure, before, shifted }) =>
      shifted ? (
        <Outcome kind="failed" says="shifted" />
      ) : (
        <span class="dim">
          {figure === "calls" ? "–" : before === null ? "nothing to compare with" : "not shifted"}
        </span>
      ),
  },
];

function Value({ figure, of }: { readonly figure: string; readonly of: number | null }) {
  if (of === null) return <span class="dim">–</span>;
  if (figure.endsWith("_ms")) return <Took ms={of} />;
  return figure === "calls" ? <Count of={of} /> : <>{of.toFixed(1)} %</>;
}

const DRIFT: readonly Column<Drift>[] = [
  {
    title: "Path",
    isName: true,
    show: ({ path }) => (
      <code>
        <bdi>{path === "" ? "(document)" : path}</bdi>
      </code>
    ),
  },
  { title: "Kind", show: ({ kind }) => <Badge kind={kind === "new" ? "plain" : "failed"}>{kind}</Badge> },
  { title: "Now", show: ({ replies, of, types }) => <Use replies={replies} of={of} types={types} /> },
  {
    title: "Before",
    show: ({ replies_before: replies, of_before: of, types_before: types }) => (
      <Use replies={replies} of={of} types={types} />
    ),
  },
];

function Use({ replies, of, types }: Pick<Drift, "replies" | "of" | "types">) {
  return (
    <>
      {types.length > 0 && `${types.join(" or ")}, `}
      <Count of={replies} /> of <Count of={of} /> replies
    </>
  );
}

function sampledText({ samples, samples_before: before, drift }: Health): string {
  if (samples === 0) return "No reply was sampled.";
  const sampled = `${samples} of the newest replies were sampled, and ${before} before.`;
  if (before === 0) return `${sampled} Paths are compared once replies of this version are a day old.`;
  return drift.length === 0 ? `${sampled} No path or type has changed.` : sampled;
}
