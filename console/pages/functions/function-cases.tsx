import { useState } from "preact/hooks";
import type { ResultOf } from "../../api/verb-types.ts";
import { Act } from "../../parts/act.tsx";
import { CaseTable } from "../../parts/case-table.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Section } from "../../parts/page.tsx";

type Report = ResultOf<"function test">["functions"][number];

/** The cases of a function, and a button that runs them in a real isolate with scripted results of the sources. */
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
          ? "The cases run with scripted results of the sources. No vendor is called."
          : `${report.cases.length} cases ran: ${failed === 0 ? "all as expected" : `${failed} differ`}.`}
      </p>
      {cases.length === 0 ? (
        <Empty title="This function has no cases." command={`datarun function test ${id}`}>
          Write cases in its file, or in a separate file beside it, and run them.
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
