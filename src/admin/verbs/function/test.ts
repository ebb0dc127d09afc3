import { Type } from "../../../terms/schema/type.ts";
import { functionInput } from "../../shared-inputs.ts";
import type { DescribedFunction } from "../../ports.ts";
import { OperatorError } from "../../../terms/operator-error.ts";
import { requireFunction } from "../../require.ts";
import { renderDifference } from "../../../simulation/difference.ts";
import { renderFunctionReport, runFunctionCases } from "../../../simulation/run-function-cases.ts";
import { count, listOf, rowsOf, text, yesOrNo } from "../../result-schemas.ts";
import { defineVerb } from "../../verb.ts";

export default defineVerb({
  summary: "Run a function's cases in the real isolate, with scripted source answers",
  description:
    "Without an id the cases of all functions of the project are run. A source that a case does not script runs for real if it needs no vendor: no case leaves the machine, and none is recorded or billed. Ends with exit code 1 when a case failed.",
  example: "dfunc_contact_check",
  input: { function: Type.Optional(functionInput) },
  positional: ["function"],
  role: "operator",
  changes: false,
  needs: ["sources", "functions"],

  result: Type.Object({
    passed: yesOrNo,
    report: text,
    functions: rowsOf({
      function: text,
      passed: yesOrNo,
      cases: rowsOf({
        name: text,
        passed: yesOrNo,
        differences: listOf(text),
        log: { ...listOf(text), description: "What the function logged" },
        took_ms: count,
      }),
    }),
  }),

  async run({ function: id }, { functions, sources, clock, note, onProgress }) {
    const listing = await functions();
    const chosen = id === undefined ? ofProject(listing.list()) : [requireFunction(listing, id)];
    const catalog = await sources();
    const reports = [];
    for (const each of chosen) {
      const report = await runFunctionCases(each.id, await each.cases(), {
        functions: listing,
        sources: catalog,
        clock,
      });
      if (report.cases.length === 0) note(`${each.id} has no cases. Write some in its file, or beside it.`);
      reports.push(report);
      onProgress("functions tested", reports.length, chosen.length);
    }
    return {
      passed: reports.every(({ passed }) => passed),
      report: reports.map(renderFunctionReport).join("\n"),
      functions: reports.map((report) => ({
        function: report.function,
        passed: report.passed,
        cases: report.cases.map(({ name, passed, differences, log, tookMs }) => ({
          name,
          passed,
          differences: differences.map(renderDifference),
          log: [...log],
          took_ms: tookMs,
        })),
      })),
    };
  },

  refuseWatch: () => null,
  hasFailed: ({ passed }) => !passed,
  render: ({ report }) => `${report}\n`,
});

function ofProject(all: readonly DescribedFunction[]): readonly DescribedFunction[] {
  const own = all.filter(({ from }) => from === "project");
  if (own.length === 0) throw new OperatorError("invalid", "The project has no functions: name one of the catalog.");
  return own;
}
