import * as formats from "ajv-formats/dist/formats.js";
import equal from "ajv/dist/runtime/equal.js";
import ucs2length from "ajv/dist/runtime/ucs2length.js";
import ValidationError from "ajv/dist/runtime/validation_error.js";
import type { JsonObject } from "../../terms/json/json.ts";
import { describeProblem, type SchemaError } from "../../terms/schema/schema-problem.ts";
import { PROBLEM_CHARACTERS } from "./bridge-limits.ts";

export type ContractPart = "inputs" | "output";

interface ContractValidator {
  (value: unknown): unknown;
  errors?: readonly SchemaError[] | null;
}

/** The module compiled from a schema. */
type Module = (require: (name: string) => unknown, module: { exports: unknown }) => void;

/** The modules that compiled schemas require. */
const RUNTIME: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["ajv/dist/runtime/equal", equal],
  ["ajv/dist/runtime/ucs2length", ucs2length],
  ["ajv/dist/runtime/validation_error", ValidationError],
  ["ajv-formats/dist/formats", formats],
]);

/**
 * Checks a run's inputs or its answer, given as JSON text. Returns `null`, or the field and message of the first
 * problem.
 */
export type CheckText = (part: ContractPart, json: string) => string | null;

/** Prepares the checks of one function, in a separate context. */
export function openContract(modules: Readonly<Partial<Record<ContractPart, Module>>>): CheckText {
  const validators = { inputs: load(modules.inputs), output: load(modules.output) };
  return (part, json) => {
    const validate = validators[part];
    if (validate === undefined) return null;
    const given: unknown = JSON.parse(json);
    const value = part === "inputs" ? (given as JsonObject)["inputs"] : outputOf(given);
    if (value === undefined) return null;
    const problem = validate(value) === true ? null : describeProblem(validate.errors);
    validate.errors = null;
    if (problem === null) return null;
    const field = problem.path.slice(1).replaceAll("/", ".");
    return [field, problem.message.slice(0, PROBLEM_CHARACTERS)].filter((word) => word !== "").join(" ");
  };
}

function load(module: Module | undefined): ContractValidator | undefined {
  if (module === undefined) return undefined;
  const made: { exports: unknown } = { exports: {} };
  module((name) => RUNTIME.get(name), made);
  return made.exports as ContractValidator;
}

/**
 * The part of an answer that the contract applies to. An answer without fields, or that reports a failure, has none.
 * The form of an answer is checked elsewhere.
 */
function outputOf(answer: unknown): JsonObject | undefined {
  if (!isObject(answer) || Object.keys(answer).length === 0 || answer["success"] === false) return undefined;
  const output = Object.hasOwn(answer, "output") ? answer["output"] : {};
  return isObject(output) ? output : undefined;
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
