import { useState } from "preact/hooks";
import type { ResultOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { CaseTable, type ShownCase } from "../../parts/case-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/page.tsx";
import type { Source } from "./source-facts.tsx";

type Report = Extract<ResultOf<"source test">, { readonly sources: unknown }>["sources"][number];
type CaseResult = Report["cases"][number];

/** The cases of a source, and a button that runs them against a simulated vendor on the service's machine. */
export function SourceCases({
  source: { source, cases, leaves_machine: leaves, charge },
}: {
  readonly source: Source;
}) {
  const [report, setReport] = useState<Report>();
  const shown = joinResults(cases, report?.cases ?? []);
  return (
    <Section
      title="Cases"
      actions={
        <Act
          verb="source test"
          input={{ source }}
          label="Run its cases"
          onBegin={() => setReport(undefined)}
          onDone={(result) => "sources" in result && setReport(result.sources[0])}
        />
      }
    >
      <p class="dim" aria-live="polite">
        {report === undefined
          ? "A simulated vendor on the service's machine runs them. Nothing is billed."
          : sum(report)}
      </p>
      {shown.length === 0 ? (
        <Empty
          title="This source has no cases."
          command={
            leaves
              ? `datarun source test ${source} --live --record${charge.model === "free" ? "" : " --accept-charge"}`
              : `datarun source test ${source}`
          }
        >
          {leaves
            ? "Write cases in its file, or record the vendor's reply to one live call as the first case."
            : "Write cases in its file, and run them."}
        </Empty>
      ) : (
        <CaseTable cases={shown} />
      )}
    </Section>
  );
}

function sum({ cases, missing }: Report): string {
  const failed = cases.filter(({ passed }) => !passed).length;
  const ran = `${cases.length} cases ran: ${failed === 0 ? "all as expected" : `${failed} differ`}.`;
  return missing.length === 0 ? ran : `${ran} It should also have: ${missing.join("; ")}.`;
}

/** The author's cases in the order of the file, then the standard cases. */
function joinResults(cases: Source["cases"], results: readonly CaseResult[]): readonly ShownCase[] {
  const own = results.filter(({ by }) => by === "author");
  return [
    ...cases.map(({ name, inputs, expects }, at) => ({ name, inputs, expects, ...toResult(own[at]) })),
    ...results.filter(({ by }) => by === "runner").map((each) => ({ name: each.name, ...toResult(each) })),
  ];
}

function toResult(each: CaseResult | undefined): Pick<ShownCase, "result"> {
  if (each === undefined) return {};
  const { passed, differences, warnings } = each;
  return { result: { passed, differences, notes: warnings } };
}
