import type { FunctionCase } from "../../sdk/data-function.ts";
import { FUNCTION_ID, ID_CHARS_MAX, PREFIX } from "../../terms/ids.ts";
import { isJsonObject, type JsonObject } from "../../terms/json/json.ts";
import { LoadError } from "../../terms/load-error.ts";
import { CALL_MS_MAX } from "../../terms/time/times.ts";

const TIMEOUT_DEFAULT_MS = 30_000;
const MEMORY_DEFAULT_MB = 64;
/** The least memory for V8 itself. */
const MEMORY_MIN_MB = 8;
const MEMORY_MAX_MB = 512;
const TITLE_CHARACTERS = 200;
const DESCRIPTION_CHARACTERS = 20_000;

/** The checked declaration of a function file, with defaults. */
export interface FunctionFacts {
  readonly id: string;
  readonly title: string;
  readonly description: string | undefined;
  readonly inputs: object | undefined;
  readonly output: object | undefined;
  readonly timeoutMs: number;
  readonly memoryMb: number;
  readonly cases: readonly FunctionCase[];
}

/**
 * Checks a whole declaration, except whether its schemas compile; problems of the schemas are passed in. @throws
 * LoadError with all problems of the declaration
 */
export function checkDeclaration(file: string, json: string, schemaProblems: readonly string[]): FunctionFacts {
  const given = JSON.parse(json) as JsonObject;
  const problems: string[] = [];
  const { id, title, description, timeout_ms, memory_mb, cases, run } = given;
  if (typeof id !== "string" || id.length > ID_CHARS_MAX || !FUNCTION_ID.test(id))
    problems.push(`"id" must be "${PREFIX.dataFunction}" and a name in lower snake case`);
  if (typeof title !== "string" || title.trim() === "") problems.push('"title" must be a text');
  else if (title.length > TITLE_CHARACTERS) problems.push(`"title" must have at most ${TITLE_CHARACTERS} characters`);
  if (description !== undefined && typeof description !== "string") problems.push('"description" must be a text');
  else if ((description ?? "").length > DESCRIPTION_CHARACTERS)
    problems.push(`"description" must have at most ${DESCRIPTION_CHARACTERS} characters`);
  if (run !== "function") problems.push('"run" must be a function; is the declaration the default export?');
  if (!isWhole(timeout_ms, 1, CALL_MS_MAX)) problems.push(`"timeout_ms" must be a whole number up to ${CALL_MS_MAX}`);
  if (!isWhole(memory_mb, MEMORY_MIN_MB, MEMORY_MAX_MB))
    problems.push(`"memory_mb" must be a whole number from ${MEMORY_MIN_MB} to ${MEMORY_MAX_MB}`);
  if (cases !== undefined && !Array.isArray(cases)) problems.push('"cases" must be a list');
  for (const part of ["inputs", "output"] as const)
    if (given[part] !== undefined && !isJsonObject(given[part])) problems.push(`"${part}" must be a JSON Schema`);
  problems.push(...schemaProblems);
  if (problems.length > 0) throw new LoadError(file, problems);
  return {
    id: id as string,
    title: title as string,
    description: description as string | undefined,
    inputs: given.inputs as object | undefined,
    output: given.output as object | undefined,
    timeoutMs: (timeout_ms as number | undefined) ?? TIMEOUT_DEFAULT_MS,
    memoryMb: (memory_mb as number | undefined) ?? MEMORY_DEFAULT_MB,
    cases: (cases as unknown as readonly FunctionCase[] | undefined) ?? [],
  };
}

function isWhole(value: unknown, least: number, most: number): boolean {
  return value === undefined || (Number.isInteger(value) && (value as number) >= least && (value as number) <= most);
}
