import { useState } from "preact/hooks";
import type { ResultOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { CaseTable } from "../../parts/case-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/page.tsx";

type Report = ResultOf<"function test">["functions"][number];

/** Its cases, which are run in a real isolate with scripted answers of the sources. */
export function FunctionCases({ shown }: { readonly shown: ResultOf<"function show"> }) {
  const { function: id, cases } = shown;
  const [report, setReport] = useState<Report>();
  const failed = report?.cases.filter(({ passed }) => !passed).length ?? 0;
  return (
    <Section
      title="Cases"
      actions={
        <Act
          verb="function test"
          input={{ function: id }}
          label="Run its cases"
          onBegin={() => setReport(undefined)}
          onDone={({ functions }) => setReport(functions[0])}
        />
      }
    >
      <p class="dim" aria-live="polite">
        {report === undefined
          ? "They run with scripted answers of the sources: no vendor is asked."
          : `${report.cases.length} cases ran: ${failed === 0 ? "all as expected" : `${failed} differ`}.`}
      </p>
      {cases.length === 0 ? (
        <Empty title="It has no cases." command={`datarun function test ${id}`}>
          Write some in its file, or beside it in a file of their own, and run them.
        </Empty>
      ) : (
        <CaseTable
          cases={cases.map(({ name, inputs, expects }, at) => ({
            name,
            inputs,
            expects,
            ...toResult(report?.cases[at]),
          }))}
        />
      )}
    </Section>
  );
}

function toResult(each: Report["cases"][number] | undefined) {
  if (each === undefined) return {};
  const { passed, differences, log } = each;
  return { result: { passed, differences, notes: passed ? [] : log } };
}
