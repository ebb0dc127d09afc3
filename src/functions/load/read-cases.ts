import { lstat } from "node:fs/promises";
import type { FunctionCase } from "../../sdk/data-function.ts";
import { isJsonObject, readJsonExactly } from "../../terms/json/json.ts";
import { firstJsonError } from "../../terms/json/first-json-error.ts";
import { LoadError } from "../../terms/load-error.ts";
import { ImportRefused } from "../imports/import-scope.ts";
import type { FunctionFile } from "./bundle.ts";
import { readOwnFile } from "./read-own-file.ts";

/** Limits how long a running service is blocked, because it parses the cases while runs wait. */
const CASES_BYTES_MAX = 1_048_576;

/** Reads a function's cases from its own file, or from `<name>.cases.json` beside it. @throws LoadError */
export async function readCases(
  given: Required<FunctionFile>,
  inline: readonly FunctionCase[],
): Promise<readonly FunctionCase[]> {
  const { file } = given;
  const beside = file.replace(/\.\w+$/, ".cases.json");
  const lies = await lstat(beside).catch(() => undefined);
  // A link could lead out of the project, and reading a pipe might never end.
  if (lies?.isFile() === false) throw new LoadError(beside, ["the cases must be in a regular file, not a link"]);
  const isBeside = lies !== undefined;
  if (isBeside && inline.length > 0)
    throw new LoadError(beside, [`${file} has cases too; keep all cases in one place`]);
  const cases = isBeside ? await readJson({ ...given, file: beside }) : inline;
  if (!Array.isArray(cases)) throw new LoadError(isBeside ? beside : file, ["the cases must be a list"]);
  const problems = cases.flatMap((each: unknown, at) => {
    const problem = problemOf(each);
    return problem === null ? [] : [`case ${at + 1} ${problem}`];
  });
  if (problems.length > 0) throw new LoadError(isBeside ? beside : file, problems);
  return cases as readonly FunctionCase[];
}

async function readJson(beside: Required<FunctionFile>): Promise<unknown> {
  const text = await readText(beside);
  try {
    return readJsonExactly(text);
  } catch (error) {
    const place = firstJsonError(text);
    const problem = place === null ? (error as Error).message : `it is not valid JSON at ${place}`;
    throw new LoadError(beside.file, [`it cannot be read: ${problem}`], error);
  }
}

async function readText(beside: Required<FunctionFile>): Promise<string> {
  try {
    return await readOwnFile(beside, CASES_BYTES_MAX);
  } catch (error) {
    const { message } = error as Error;
    const isRefused = error instanceof ImportRefused || error instanceof RangeError;
    throw new LoadError(
      beside.file,
      [isRefused ? `it ${withoutName(message)}` : `it cannot be read: ${message}`],
      error,
    );
  }
}

/** The message of a refused import without the imported name, with which it begins. */
function withoutName(message: string): string {
  return message.replace(/^"[^"]*" /, "");
}

const KEYS = new Set(["name", "inputs", "extra", "config", "context", "sources", "expect"]);
const EXPECT_KEYS = new Set(["success", "output", "includes", "pipes", "message", "called"]);

/**
 * Returns the problem of a case. Unknown keys are refused, because a misspelled one would be a check that never fails.
 */
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
