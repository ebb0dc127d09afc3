import type { RunnableSource } from "../run/ports.ts";
import type { SourceCase } from "../sdk/source.ts";
import { createSchemas } from "../terms/author-schemas.ts";
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

interface CaseToRun {
  readonly case: SourceCase;
  readonly kinds: readonly string[];
  readonly by: CaseReport["by"];
}

/**
 * Runs a source's own cases and the failures that every vendor can have, each against a vendor played on loopback. What
 * a source is asked, sends and answers is compared; the missing cases of the gate fail the source as well.
 */
export async function runCases(source: RunnableSource, parts: CaseParts): Promise<SourceReport> {
  return runThese(source, casesOf(source), missingCases(source), parts);
}

/** Runs the cases of one name, whoever wrote them; which others are missing is not asked. `null` if there is none. */
export async function runNamedCase(
  source: RunnableSource,
  name: string,
  parts: CaseParts,
): Promise<SourceReport | null> {
  const named = casesOf(source).filter((each) => each.case.name === name);
  return named.length === 0 ? null : runThese(source, named, [], parts);
}

async function runThese(
  source: RunnableSource,
  toRun: readonly CaseToRun[],
  missing: readonly string[],
  parts: CaseParts,
): Promise<SourceReport> {
  const outputProblem = compileOutput(source.declaration.output);
  const cases: CaseReport[] = [];
  for (const { case: each, kinds, by } of toRun) {
    cases.push(await report(source, each, kinds, by, outputProblem, parts));
  }
  const passed = missing.length === 0 && cases.every((each) => each.passed);
  return { source: source.id, passed, cases, missing };
}

function casesOf(source: RunnableSource): readonly CaseToRun[] {
  const own = (source.declaration.cases ?? []).map((each): CaseToRun => {
    const kinds = "failure" in each.expect ? [each.expect.failure] : [];
    return { case: each, kinds, by: "author" };
  });
  const generic = genericCases(source).map((each): CaseToRun => ({ ...each, by: "runner" }));
  return [...own, ...generic, ...withoutCredential(source)];
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

/** A source that needs a credential and gets none says so, and nothing is sent. Without a case nobody knows valid inputs. */
function withoutCredential(source: RunnableSource): readonly CaseToRun[] {
  const inputs = source.declaration.cases?.find(({ expect }) => "match" in expect)?.inputs;
  if (source.credentialUse !== "required" || inputs === undefined) return [];
  const bare: SourceCase = {
    name: "there is no credential",
    inputs,
    credentials: {},
    reply: [],
    expect: { failure: "credential" },
  };
  return [{ case: bare, kinds: ["credential"], by: "runner" }];
}

function compileOutput(schema: object | undefined): OutputProblem {
  if (schema === undefined) return () => null;
  const problemOf = createSchemas().validator(schema);
  return (output) => {
    const problem = problemOf(output);
    return problem === null ? null : `output${problem.path} ${problem.message}`;
  };
}

/** A report as lines for people. */
export function renderReport({ source, passed, cases, missing }: SourceReport): string {
  const lines = cases.flatMap((each) => [
    `  ${each.passed ? "ok    " : "FAILED"} ${each.name}${each.by === "runner" ? " (played for every source)" : ""}`,
    ...each.differences.map((difference) => `           ${renderDifference(difference)}`),
    ...each.warnings.map((warning) => `           note: ${warning}`),
  ]);
  return [`${passed ? "ok    " : "FAILED"} ${source}`, ...lines, ...missing.map((name) => `  MISSING ${name}`)].join(
    "\n",
  );
}

/** What came of all, counted: `2 sources, 25 cases: 3 failed, 1 missing`. */
export function countReports(reports: readonly SourceReport[], brokenFiles: number): string {
  const cases = reports.flatMap((report) => report.cases);
  const wrong = [
    [cases.filter(({ passed }) => !passed).length, "failed"],
    [reports.reduce((sum, { missing }) => sum + missing.length, 0), "missing"],
    [brokenFiles, brokenFiles === 1 ? "file that cannot be used" : "files that cannot be used"],
  ] as const;
  const told = wrong.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  const ran = `${counted(reports.length, "source")}, ${counted(cases.length, "case")}`;
  return `${ran}: ${told.length === 0 ? "all passed" : told.join(", ")}`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
