import type { RunnableSource } from "../run/ports.ts";
import type { SourceCase } from "../sdk/source.ts";
import { createBoundedSchemas } from "../terms/bounded-schemas.ts";
import { resembles } from "../terms/nearest.ts";
import { renderDifference, type Difference } from "./difference.ts";
import { genericCases, missingCases } from "./generic-cases.ts";
import { judgeCase, undeclaredInputs, type OutputProblem } from "./judge-case.ts";
import { playCase } from "./play-case.ts";
import type { CaseParts } from "./ports.ts";

export interface CaseReport {
  readonly name: string;
  /** Written by the source's author, or played for every source. */
  readonly by: "author" | "runner";
  readonly passed: boolean;
  readonly differences: readonly Difference[];
  /** Nothing that fails a case, but worth a look. */
  readonly warnings: readonly string[];
  readonly tookMs: number;
}

export interface SourceReport {
  readonly source: string;
  readonly passed: boolean;
  readonly cases: readonly CaseReport[];
  /** Cases that the source ought to have and has not. */
  readonly missing: readonly string[];
}

/**
 * Runs a source's own cases and the failures that every vendor can have, each against a vendor played on loopback. What
 * a source is asked, sends and answers is compared; the missing cases of the gate fail the source as well.
 */
export async function runCases(source: RunnableSource, parts: CaseParts): Promise<SourceReport> {
  const outputProblem = compileOutput(source.declaration.output);
  const cases: CaseReport[] = [];
  for (const each of source.declaration.cases ?? []) {
    const kinds = "failure" in each.expect ? [each.expect.failure] : [];
    cases.push(await report(source, each, kinds, "author", outputProblem, parts));
  }
  for (const { case: each, kinds } of genericCases(source)) {
    cases.push(await report(source, each, kinds, "runner", outputProblem, parts));
  }
  if (source.credentialUse === "required") cases.push(await withoutCredential(source, outputProblem, parts));
  const missing = missingCases(source);
  const passed = missing.length === 0 && cases.every((each) => each.passed);
  return { source: source.id, passed, cases, missing };
}

async function report(
  source: RunnableSource,
  each: SourceCase,
  kinds: readonly string[],
  by: CaseReport["by"],
  outputProblem: OutputProblem,
  parts: CaseParts,
): Promise<CaseReport> {
  const startedAt = parts.clock.now();
  const played = await playCase(source, each, parts);
  const found = judgeCase(played, each, kinds, outputProblem);
  const undeclared = by === "author" ? undeclaredInputs(source, each) : [];
  return {
    name: each.name,
    by,
    passed: found.length === 0,
    differences: found,
    warnings: undeclared.map((name) => undeclaredWarning(name, source.inputNames)),
    tookMs: Math.round(parts.clock.now() - startedAt),
  };
}

function undeclaredWarning(name: string, declared: readonly string[]): string {
  const meant = declared.find((known) => resembles(name, known));
  const hint = meant === undefined ? "" : ` (${meant}?)`;
  return `input ${name} is not declared and never reaches the source${hint}`;
}

/** A source that needs a credential and gets none says so, and nothing is sent. */
function withoutCredential(
  source: RunnableSource,
  outputProblem: OutputProblem,
  parts: CaseParts,
): Promise<CaseReport> {
  const inputs = source.declaration.cases?.find(({ expect }) => "match" in expect)?.inputs ?? {};
  const bare: SourceCase = {
    name: "there is no credential",
    inputs,
    credentials: {},
    reply: [],
    expect: { failure: "credential" },
  };
  return report(source, bare, ["credential"], "runner", outputProblem, parts);
}

function compileOutput(schema: object | undefined): OutputProblem {
  if (schema === undefined) return () => null;
  const fits = createBoundedSchemas().compile(schema);
  return (output) => {
    if (fits(output)) return null;
    const [error] = fits.errors ?? [];
    return `output${error?.instancePath ?? ""} ${error?.message ?? "is not valid"}`;
  };
}

/** A report as lines for people. */
export function renderReport({ source, passed, cases, missing }: SourceReport): string {
  const lines = cases.flatMap((each) => [
    `  ${each.passed ? "ok    " : "FAILED"} ${each.name}${each.by === "runner" ? " (played for every source)" : ""}`,
    ...each.differences.map((difference) => `           ${renderDifference(difference)}`),
    ...each.warnings.map((warning) => `           note: ${warning}`),
  ]);
  return [
    `${passed ? "ok    " : "FAILED"} ${source}`,
    ...lines,
    ...missing.map((name) => `  FAILED it has not ${name}`),
  ].join("\n");
}
