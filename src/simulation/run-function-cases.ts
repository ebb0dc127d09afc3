import type { FunctionCase } from "../sdk/data-function.ts";
import { differences, renderDifference, type ValueDifference } from "./difference.ts";
import { playFunctionCase, type FunctionCaseParts, type FunctionCaseResult } from "./play-function-case.ts";

export interface FunctionCaseReport {
  readonly name: string;
  readonly passed: boolean;
  readonly differences: readonly ValueDifference[];
  readonly log: readonly string[];
  readonly tookMs: number;
}

export interface FunctionReport {
  readonly function: string;
  readonly passed: boolean;
  readonly cases: readonly FunctionCaseReport[];
}

/**
 * Runs a function's cases one after the other and reports differences. A function without cases fails, because it is
 * untested.
 */
export async function runFunctionCases(
  id: string,
  cases: readonly FunctionCase[],
  parts: FunctionCaseParts,
): Promise<FunctionReport> {
  const reports: FunctionCaseReport[] = [];
  for (const each of cases) {
    const startedAt = parts.clock.now();
    const played = await playFunctionCase(id, each, parts);
    const found = judge(played, each);
    reports.push({
      name: each.name,
      passed: found.length === 0,
      differences: found,
      log: played.log,
      tookMs: Math.round(parts.clock.now() - startedAt),
    });
  }
  return { function: id, passed: reports.length > 0 && reports.every(({ passed }) => passed), cases: reports };
}

/** The differences, the most relevant first. */
function judge(played: FunctionCaseResult, { expect }: FunctionCase): readonly ValueDifference[] {
  const success = expect.success ?? true;
  return [
    ...played.offScript,
    ...(success === played.success
      ? []
      : [{ at: "success", expected: success, found: `${played.success} (${played.message})` }]),
    ...(expect.message === undefined || played.message.includes(expect.message)
      ? []
      : [{ at: "message", expected: `… ${expect.message} …`, found: played.message }]),
    ...(expect.output === undefined ? [] : differences(expect.output, played.output, "output")),
    ...(expect.includes === undefined ? [] : differences(expect.includes, played.output, "output", true)),
    ...(expect.pipes === undefined ? [] : differences(expect.pipes, played.pipes, "pipes", true)),
    ...(expect.called === undefined ? [] : differences(expect.called.toSorted(), played.called.toSorted(), "called")),
  ];
}

/** A report as lines of text. Log output is included for failed cases. */
export function renderFunctionReport({ function: id, passed, cases }: FunctionReport): string {
  const lines = cases.flatMap((each) => [
    `  ${each.passed ? "ok    " : "FAILED"} ${each.name}`,
    ...each.differences.map((difference) => `           ${renderDifference(difference)}`),
    ...(each.passed ? [] : each.log.map((line) => `           log ${line}`)),
  ]);
  return [
    `${passed ? "ok    " : "FAILED"} ${id}`,
    ...lines,
    ...(cases.length === 0 ? ["  FAILED it has no cases"] : []),
  ].join("\n");
}
