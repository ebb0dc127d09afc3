import type { RunnableSource } from "../run/ports.ts";
import type { SourceCase } from "../sdk/source.ts";
import { createSchemas } from "../terms/schema/author-schemas.ts";
import { didYouMean } from "../terms/text/nearest.ts";
import { renderDifference, type ValueDifference } from "./difference.ts";
import { genericCases, missingCases } from "./generic-cases.ts";
import { judgeCase, undeclaredInputs, type OutputProblem } from "./judge-case.ts";
import { playCase } from "./play-case.ts";
import type { CaseParts } from "./ports.ts";
import { unmatchedLists } from "./unmatched-lists.ts";

export interface CaseReport {
  readonly name: string;
  /** `runner`: a standard case that the runner adds for every source. */
  readonly by: "author" | "runner";
  readonly passed: boolean;
  readonly differences: readonly ValueDifference[];
  /** Warnings do not fail the case. */
  readonly warnings: readonly string[];
  readonly tookMs: number;
  /** The source has refused a made-up credential, so that the case shows nothing else. */
  readonly needsCredential: boolean;
}

export interface SourceReport {
  readonly source: string;
  readonly passed: boolean;
  readonly cases: readonly CaseReport[];
  /** Required cases that the source lacks. */
  readonly missing: readonly string[];
  /** Warnings about the whole source. They do not fail it. */
  readonly warnings: readonly string[];
}

interface CaseToRun {
  readonly case: SourceCase;
  readonly kinds: readonly string[];
  readonly by: CaseReport["by"];
}

/**
 * Runs a source's own cases and the standard cases, each against a simulated vendor on loopback, and compares requests
 * and results with the expectations. A source without the required cases fails too.
 */
export async function runCases(source: RunnableSource, parts: CaseParts): Promise<SourceReport> {
  const report = await runThese(source, casesOf(source), missingCases(source), parts);
  return { ...report, warnings: [...report.warnings, ...unmatchedLists(source.declaration)] };
}

/**
 * Runs the cases with this name, from the author or the runner, and skips the check for missing cases. `null` if there
 * is none.
 */
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
  const warnings = cases.some((each) => each.needsCredential) ? [NEEDS_CREDENTIAL] : [];
  return { source: source.id, passed, cases, missing, warnings };
}

const NEEDS_CREDENTIAL =
  "the source refuses the credential that is made up for cases: give each field that has to be a real one, such as a private key, `examples` in the schema of the credential, with a value that is used nowhere else";

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
  const { fault, requests, credentials } = played;
  const isRefused = fault?.row.kind === "credential" && requests.length === 0 && Object.keys(credentials).length > 0;
  return {
    name: each.name,
    by,
    passed: found.length === 0,
    needsCredential: found.length > 0 && isRefused && each.credentials === undefined,
    differences: found,
    warnings: undeclared.map((name) => undeclaredWarning(name, source.inputNames)),
    tookMs: Math.round(parts.clock.now() - startedAt),
  };
}

function undeclaredWarning(name: string, declared: readonly string[]): string {
  const hint = didYouMean(name, declared);
  return `input ${name} is not declared, so the source does not get it${hint === undefined ? "" : `; ${hint}`}`;
}

/** Without a credential, a source that needs one must fail and send nothing. The inputs come from its own cases. */
function withoutCredential(source: RunnableSource): readonly CaseToRun[] {
  const inputs = source.declaration.cases?.find(({ expect }) => "match" in expect)?.inputs;
  if (source.credentialUse !== "required" || inputs === undefined) return [];
  const bare: SourceCase = {
    name: "no credential is given",
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

/** A report as lines of text. */
export function renderReport({ source, passed, cases, missing, warnings }: SourceReport): string {
  const lines = cases.flatMap((each) => [
    `  ${each.passed ? "ok    " : "FAILED"} ${each.name}${each.by === "runner" ? " (standard)" : ""}`,
    ...each.differences.map((difference) => `           ${renderDifference(difference)}`),
    ...each.warnings.map((warning) => `           note: ${warning}`),
  ]);
  return [
    `${passed ? "ok    " : "FAILED"} ${source}`,
    ...lines,
    ...missing.map((name) => `  MISSING ${name}`),
    ...warnings.map((warning) => `  note: ${warning}`),
  ].join("\n");
}

/** A summary of all reports: `2 sources, 25 cases: 3 failed, 1 missing`. */
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
