import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { FieldProblem } from "../terms/fault.ts";
import type { JsonObject } from "../terms/json.ts";

export type Check = (value: JsonObject) => FieldProblem | null;

/** Compiles a function's own schema. @throws Error that says what is wrong with the schema */
export function compileContract(schema: object | undefined): Check {
  if (schema === undefined) return () => null;
  // A validator of its own for each: two functions may use the same `$id`.
  const ajv = new Ajv2020({ strict: false, ownProperties: true, allErrors: false, logger: false });
  (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return null;
    return problemOf(validate.errors![0]!);
  };
}

/** Names the field and the rule, never the value. */
function problemOf({ instancePath, keyword, params, message }: ErrorObject): FieldProblem {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, string | undefined>;
  if (keyword === "required") return { path: `${instancePath}/${escape(missingProperty!)}`, message: "is required" };
  const unknown = additionalProperty ?? unevaluatedProperty;
  if (unknown !== undefined) return { path: `${instancePath}/${escape(unknown)}`, message: "is not allowed" };
  if (keyword === "enum")
    return { path: instancePath, message: allowed((params as { allowedValues: unknown[] }).allowedValues) };
  if (keyword === "propertyNames") return { path: instancePath, message: "has a property whose name is not allowed" };
  return { path: instancePath, message: message ?? "is not valid" };
}

function allowed(values: readonly unknown[]): string {
  const list = values.map((value) => JSON.stringify(value)).join(", ");
  return list.length <= 200 ? `must be one of ${list}` : "must be one of the allowed values";
}

/** A JSON pointer's escaping. */
function escape(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
