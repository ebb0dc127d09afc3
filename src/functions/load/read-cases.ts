import { lstatSync, readFileSync } from "node:fs";
import type { FunctionCase } from "../../sdk/data-function.ts";
import { isJsonObject } from "../../terms/json.ts";
import { LoadError } from "../../terms/load-error.ts";

/** Reads a function's cases: from its own file, or from `<name>.cases.json` beside it. @throws LoadError */
export function readCases(file: string, inline: readonly FunctionCase[]): readonly FunctionCase[] {
  const beside = file.replace(/\.\w+$/, ".cases.json");
  const lies = lstatSync(beside, { throwIfNoEntry: false });
  // A link could lead out of the project, and reading a pipe might never end.
  if (lies?.isFile() === false) throw new LoadError(beside, ["the cases must be in a regular file, not a link"]);
  const isBeside = lies !== undefined;
  if (isBeside && inline.length > 0)
    throw new LoadError(beside, [`${file} has cases too; keep all cases in one place`]);
  const cases = isBeside ? readJson(beside) : inline;
  if (!Array.isArray(cases)) throw new LoadError(isBeside ? beside : file, ["the cases must be a list"]);
  const problems = cases.flatMap((each: unknown, at) => {
    const problem = problemOf(each);
    return problem === null ? [] : [`case ${at + 1} ${problem}`];
  });
  if (problems.length > 0) throw new LoadError(isBeside ? beside : file, problems);
  return cases as readonly FunctionCase[];
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new LoadError(file, [`it cannot be read: ${(error as Error).message}`], error);
  }
}

const KEYS = new Set(["name", "inputs", "extra", "config", "context", "sources", "expect"]);
const EXPECT_KEYS = new Set(["success", "output", "includes", "pipes", "message", "called"]);

/** Refuses unknown keys, because a misspelled one would be a check that never fails. */
function problemOf(each: unknown): string | null {
  if (!isJsonObject(each)) return "must be an object";
  if (typeof each["name"] !== "string" || each["name"] === "") return "has no name";
  const named = `(${each["name"]})`;
  if (!isJsonObject(each["inputs"])) return `${named} must have an object "inputs"`;
  if (!isJsonObject(each["expect"])) return `${named} must have an object "expect"`;
  const unknown =
    Object.keys(each).find((key) => !KEYS.has(key)) ?? Object.keys(each["expect"]).find((key) => !EXPECT_KEYS.has(key));
  return unknown === undefined ? null : `${named} has an unknown key "${unknown}"`;
}
